/** Writers of the one comment, as a run and its jobs have them, with waits that a test can afford. */
import { openGitHub } from "../../src/github/client.js";
import { parseMarker } from "../../src/github/comment-marker.js";
import { StickyComment, type StickyTarget, type StickyTiming } from "../../src/github/sticky.js";
import type { GitHubDouble, StoredComment } from "./github/double.js";

export const PULL = 1;
export const LOGIN = "github-actions[bot]";

export type WriterOptions = Partial<Omit<StickyTarget, "run">> & {
  readonly attempt?: number;
  readonly token?: string;
  readonly timeoutMs?: number;
  readonly retryBaseMs?: number;
  readonly timing?: Partial<StickyTiming>;
};

export type Writer = ReturnType<typeof writer>;

export function writer(double: GitHubDouble, runId: number, options: WriterOptions = {}) {
  const { attempt = 1, token = double.token, timeoutMs = 5000, retryBaseMs = 1, timing, ...target } = options;
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  knownRun(double, runId, attempt);
  const job = { owner: double.owner, repo: double.repo, apiUrl: double.url };
  const github = openGitHub(job, token, log, { timeoutMs, retryBaseMs, paced: false });
  const run = { id: runId, attempt };
  const waits = { retryWaitMs: 1, settleMs: 20, ...timing };
  const sticky = new StickyComment(github, { pullRequest: PULL, key: "default", run, ...target }, log, waits);
  return {
    lines,
    get calls() {
      return github.calls;
    },
    write: sticky.write.bind(sticky),
  };
}

/** GitHub knows the run, of the pull request's branch, up to this attempt. */
export function knownRun(double: GitHubDouble, id: number, attempt = 1): void {
  const run =
    double.state.runs.find((one) => one.id === id) ??
    double.addRun({ id, event: "pull_request", headBranch: "feature" });
  run.attempt = Math.max(run.attempt, attempt);
}

export function bodyOf(runId: number, text: string, options: { attempt?: number; key?: string; phase?: string } = {}) {
  const { attempt = 1, key = "default", phase = "done" } = options;
  return `<!-- server-bench key=${key} run=${runId} attempt=${attempt} phase=${phase} -->\n${text}`;
}

/** A comment that an earlier run left. */
export function leftBy(double: GitHubDouble, runId: number, text: string, login = LOGIN): StoredComment {
  knownRun(double, runId);
  return double.addComment({ issue: PULL, login, body: bodyOf(runId, text) });
}

export function bodies(double: GitHubDouble, issue = PULL): readonly string[] {
  return double.commentsOf(issue).map(({ body }) => body);
}

/** As somebody does with a click. */
export function removeComment({ state: { comments } }: GitHubDouble, id: number): void {
  const at = comments.findIndex((comment) => comment.id === id);
  comments.splice(at, 1);
}

/** Method and path of what was asked, such as "PATCH comment" or "GET comments". */
export function asked(double: GitHubDouble): readonly string[] {
  const short = (path: string) =>
    path.replace(/^.*\/issues\/comments\/\d+$/, "comment").replace(/^.*\/issues\/\d+\/comments$/, "comments");
  return double.requests.map(({ method, path }) => `${method} ${short(path)}`);
}

/** The run that a request's body was written by. */
export function runOf(body: unknown): number | undefined {
  const { body: text } = { ...(body as { readonly body?: unknown } | undefined) };
  return typeof text === "string" ? parseMarker(text)?.run.id : undefined;
}

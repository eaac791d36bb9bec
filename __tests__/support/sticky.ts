/** Writers of the one comment, as a run and its jobs have them, with waits that a test can afford. */
import { openGitHub } from "../../src/github/client.js";
import { parseMarker } from "../../src/github/comment-marker.js";
import { StickyComment, type StickyTarget, type StickyTiming } from "../../src/github/sticky.js";
import type { GitHubDouble, StoredComment } from "./github/double.js";

export const PULL = 1;
export const LOGIN = "github-actions[bot]";

export interface WriterOptions {
  readonly attempt?: number;
  readonly key?: string;
  readonly author?: string;
  readonly pullRequest?: number;
  readonly token?: string;
  readonly timeoutMs?: number;
  readonly retryBaseMs?: number;
  readonly timing?: Partial<StickyTiming>;
}

export interface Writer extends Pick<StickyComment, "write"> {
  readonly lines: readonly string[];
  readonly calls: number;
}

export function writer(double: GitHubDouble, runId: number, options: WriterOptions = {}): Writer {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  knownRun(double, runId, options.attempt);
  const { owner, repo, url: apiUrl } = double;
  const github = openGitHub({ owner, repo, apiUrl }, options.token ?? double.token, log, {
    timeoutMs: options.timeoutMs ?? 5000,
    retryBaseMs: options.retryBaseMs ?? 1,
    paced: false,
  });
  const target: StickyTarget = {
    pullRequest: options.pullRequest ?? PULL,
    key: options.key ?? "default",
    run: { id: runId, attempt: options.attempt ?? 1 },
    ...(options.author === undefined ? {} : { author: options.author }),
  };
  const sticky = new StickyComment(github, target, log, { retryWaitMs: 1, settleMs: 20, ...options.timing });
  return {
    lines,
    get calls() {
      return github.calls;
    },
    write: (text, phase) => sticky.write(text, phase),
  };
}

/** GitHub knows the run, of the pull request's branch, up to this attempt. */
export function knownRun(double: GitHubDouble, id: number, attempt = 1): void {
  const run = double.state.run(id) ?? double.addRun({ id, event: "pull_request", headBranch: "feature" });
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
export function removeComment(double: GitHubDouble, id: number): void {
  const { comments } = double.state;
  comments.splice(
    comments.findIndex((comment) => comment.id === id),
    1,
  );
}

/** Method and path of what was asked, such as "PATCH comment" or "GET comments". */
export function asked(double: GitHubDouble): readonly string[] {
  return double.requests.map(({ method, path }) => `${method} ${shortPath(path)}`);
}

function shortPath(path: string): string {
  if (/\/issues\/comments\/\d+$/.test(path)) return "comment";
  return /\/issues\/\d+\/comments$/.test(path) ? "comments" : path;
}

/** The run that a request's body was written by. */
export function runOf(body: unknown): number | undefined {
  const text = typeof body === "object" && body !== null && "body" in body ? body.body : undefined;
  return typeof text === "string" ? parseMarker(text)?.run.id : undefined;
}

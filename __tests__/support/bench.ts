/** `/bench`: a comment or a label in a pull request on the double, and what came of it. */
import { dispatchAction } from "../../src/actions/bench/dispatch.js";
import type { BenchRequest } from "../../src/actions/bench/request.js";
import { openAction, startAction } from "./action.js";
import { GitHubDouble, type StoredComment, type StoredPull, shaOf } from "./github/double.js";
import { commentEvent, labelEvent } from "./github/factories.js";

export const PULL = 7;
export const HEAD = shaOf(`head of ${PULL}`);
export const WORKFLOW = "bench-measure.yml";
/** When the comments of these tests are written. */
export const ASKED_AT = "2026-11-20T12:00:00Z";
const BEFORE = "2026-11-20T11:00:00Z";

export interface Asking {
  readonly github: GitHubDouble;
  readonly pull: StoredPull;
}

/** A pull request whose head was pushed an hour before the comment, and people: maint can write, reader and nobody cannot. */
export async function openAsking(pull: Partial<StoredPull> = {}): Promise<Asking & AsyncDisposable> {
  const github = await GitHubDouble.start();
  const { state } = github;
  for (const role of ["admin", "maintain", "write", "triage", "read", "none"]) state.roles.set(`has-${role}`, role);
  state.roles.set("maint", "maintain");
  state.files.set(`.github/workflows/${WORKFLOW}`, "name: Benchmark on request\n");
  const added = github.addPull({ number: PULL, ...pull });
  github.addCommit(added.headSha);
  push({ github, pull: added }, shaOf("before"), added.headSha, BEFORE);
  return { github, pull: added, [Symbol.asyncDispose]: () => github[Symbol.asyncDispose]() };
}

export function push({ github, pull }: Asking, before: string, after: string, at: string): void {
  github.state.pushes.push({ ref: `refs/heads/${pull.headRef}`, before, after, at });
}

export interface Given {
  readonly login?: string;
  readonly action?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  /** What the event file says of the comment, where it differs. */
  readonly comment?: Readonly<Record<string, unknown>>;
  /** The committed program, as a runner starts it. Default: its command in this process. */
  readonly bundle?: true;
}

interface Done {
  readonly code: number | null;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Starts `command: dispatch` for a new comment. */
export async function comment(asking: Asking, body: string, given: Given = {}) {
  const { github, pull } = asking;
  const stored = github.addComment({
    issue: pull.number,
    login: given.login ?? "maint",
    body,
    createdAt: ASKED_AT,
    updatedAt: ASKED_AT,
  });
  const event = commentEvent(pull, stored, given.action);
  const payload = { ...event, comment: { ...(event.comment as object), ...given.comment } };
  return { stored, ...(await dispatch(asking, "issue_comment", payload, given, stored)) };
}

/** Starts `command: dispatch` for a label. */
export async function label(asking: Asking, name: string, given: Given = {}) {
  const payload = labelEvent(asking.pull, name, given.login ?? "maint");
  return await dispatch(asking, "pull_request", payload, given);
}

async function dispatch(
  { github, pull }: Asking,
  name: string,
  payload: unknown,
  { inputs = {}, bundle }: Given,
  asked?: StoredComment,
) {
  const run = github.addRun({ event: name, workflowFile: "bench-command.yml", status: "in_progress" });
  const env = await github.jobEnv(run, { name, payload, ref: "refs/heads/main" });
  const given = { command: "dispatch", token: github.token, ...inputs };
  const done = await (bundle ? started(given, env) : called(github, given, env));
  const { state } = github;
  const replies = github.commentsOf(pull.number).filter(({ login }) => login === "github-actions[bot]");
  const [request] = state.dispatches.map((one) => JSON.parse(one.inputs.request ?? "") as BenchRequest);
  return {
    ...done,
    request,
    replies: replies.map((one) => one.body),
    reactions: state.reactions.filter((one) => one.comment === (asked?.id ?? null)).map(({ content }) => content),
    dispatches: state.dispatches,
    calls: github.requests.map((one) => `${one.method} ${one.path.replace("/repos/acme/server/", "")}`),
  };
}

type Texts = Readonly<Record<string, string>>;

async function started(inputs: Texts, env: Texts): Promise<Done> {
  const action = startAction(inputs, { env });
  const { code, stdout, stderr } = await action.ended;
  return { code, log: stdout + stderr, summary: action.summary, outputs: action.outputs };
}

async function called(github: GitHubDouble, inputs: Texts, env: Texts): Promise<Done> {
  const { action, log } = await openAction(github, "/nowhere", env, inputs);
  const { failure, summary, outputs } = await dispatchAction(action);
  const texts = Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, String(value)]));
  return { code: failure === undefined ? 0 : 1, log: `${log()}${failure ?? ""}`, summary, outputs: texts };
}

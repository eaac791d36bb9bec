/**
 * GitHub's API as an in-process HTTP server: stateful, with permissions and faults. Every request and every answer of
 * its REST part is checked against GitHub's own OpenAPI description; disposing throws when one of them broke it.
 *
 * Blobs (artifacts) have an origin of their own, as at GitHub: a token that is sent there is a violation too.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pullRequestEvent, repositoryOf, workflowRunEvent } from "./factories.js";
import { type Listening, listen, type Outcome, type Received, type Reply } from "./http.js";
import { operationOf } from "./openapi.js";
import { ResultsService } from "./results-service.js";
import { findRoute, Refusal } from "./routes.js";
import * as stored from "./state.js";

export type { StoredArtifact, StoredComment, StoredPull, StoredRun } from "./state.js";
export { sha256, shaOf } from "./state.js";

/** What a test gives of something that is stored, and what it has to give. */
type Some<Item, Needed extends keyof Item = never> = Partial<Item> & Pick<Item, Needed>;

export interface DoubleOptions {
  /** The token of the job (default "test-token"); further ones with `addToken`. */
  readonly token?: string;
  /** Default: everything may be written. When given, what is not named may be read, as in a public repository. */
  readonly permissions?: stored.Permissions;
  /** Default: github-actions[bot], an installation, whose GET /user answers 403. */
  readonly account?: Pick<stored.Account, "login" | "kind">;
}

export interface LoggedRequest extends Received {
  /** REST API, the Actions results service (twirp), or a signed blob address. */
  readonly service: "api" | "results" | "blob";
  /** What was answered; undefined while under way, and when the connection was cut or left silent. */
  status: number | undefined;
}

/** Method (default any) and path without query, tested by `path`. */
export interface Match {
  readonly method?: string;
  readonly path: RegExp;
  /** How many matching requests (default 1; Infinity for all). */
  readonly times?: number;
}

export interface Fault extends Match {
  /** Answer this instead of doing the work. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: `{ message }` in GitHub's form. */
  readonly body?: unknown;
  /** Never answer. */
  readonly timeout?: boolean;
  /** Cut the connection. */
  readonly reset?: boolean;
  /** Do the work all the same, then answer `status` (default 502), or never with `timeout`, or cut it with `reset`. */
  readonly dropAfterApplying?: boolean;
}

type Hook = (request: LoggedRequest) => void | Promise<void>;
type Queue<Item> = (Match & Item & { left: number })[];

const ALL: stored.Permissions = { issues: "write", pullRequests: "write", actions: "write", contents: "write" };
const LEVELS = ["none", "read", "write"];
/** A workflow that reports the runs of another one. */
const REPORTS = "name: Report\non: { workflow_run: { workflows: [Benchmark] } }\n";

export class GitHubDouble implements AsyncDisposable {
  readonly owner = "acme";
  readonly repo = "server";
  /** The job's token. */
  readonly token: string;
  /** The API's base, for GITHUB_API_URL, and the origin of signed addresses. */
  url = "";
  blobUrl = "";
  readonly state = new stored.State();
  /** The event files of a `pull_request` run, and of the `workflow_run` job that a run started. */
  readonly pullRequestEvent = pullRequestEvent;
  readonly workflowRunEvent = workflowRunEvent;
  /** Every request in order of arrival. */
  readonly requests: LoggedRequest[] = [];
  /** Breaches of GitHub's description. Disposing throws when there are any: a test that wants some empties it. */
  readonly violations: string[] = [];
  readonly #accounts = new Map<string, stored.Account>();
  readonly #faults: Queue<Fault> = [];
  readonly #before: Queue<{ readonly hook: Hook }> = [];
  readonly #after: Queue<{ readonly hook: Hook }> = [];
  readonly #results = new ResultsService(this.state, (violation) => this.violations.push(violation));
  readonly #folders: string[] = [];
  readonly #servers: Listening[] = [];

  private constructor({ token = "test-token", permissions = ALL, account }: DoubleOptions) {
    this.token = token;
    this.addToken(token, { login: "github-actions[bot]", kind: "installation", ...account, permissions });
  }

  static async start(options: DoubleOptions = {}): Promise<GitHubDouble> {
    // No request waits until the description is read: that takes seconds on a busy machine.
    operationOf("GET", "/user");
    const double = new GitHubDouble(options);
    const [api, blobs] = await Promise.all([
      listen((received) => double.#serve("api", received)),
      listen((received) => double.#serve("blob", received)),
    ]);
    double.#servers.push(api, blobs);
    return Object.assign(double, { url: api.url, blobUrl: blobs.url });
  }

  /** Another token, such as a user's. */
  addToken(token: string, account: stored.Account): void {
    this.#accounts.set(token, account);
  }

  /** Fails the next matching requests, of any service. Faults are used in the order in which they were added. */
  fail(fault: Fault): void {
    this.#faults.push({ ...fault, left: fault.times ?? 1 });
  }

  /** Faults and delays that no request has met yet are called off. */
  heal(): void {
    for (const queue of [this.#faults, this.#before, this.#after]) queue.length = 0;
  }

  /** Runs and awaits `hook` when a matching request has arrived and nothing of it was done: to interleave, to delay. */
  before(match: Match, hook: Hook): void {
    this.#before.push({ ...match, hook, left: match.times ?? 1 });
  }

  /** The same when the work is done and not yet answered. */
  after(match: Match, hook: Hook): void {
    this.#after.push({ ...match, hook, left: match.times ?? 1 });
  }

  addComment(comment: Some<stored.StoredComment> = {}): stored.StoredComment {
    return push(this.state.comments, { ...stored.usualComment(this.state.nextId()), ...comment });
  }

  addPull(pull: Some<stored.StoredPull> = {}): stored.StoredPull {
    const next = Math.max(0, ...this.state.pulls.map(({ number }) => number)) + 1;
    return push(this.state.pulls, { ...stored.usualPull(pull.number ?? next), ...pull });
  }

  /** Its workflow is on the default branch, unless a test takes it out of `state.files`. */
  addRun(change: Some<stored.StoredRun> = {}): stored.StoredRun {
    const { files, runs } = this.state;
    const run = { ...stored.usualRun(change.id ?? this.state.nextId(), runs.length), ...change };
    const path = `.github/workflows/${run.workflowFile}`;
    if (!files.has(path)) files.set(path, run.event === "workflow_run" ? REPORTS : "name: Benchmark\n");
    return push(runs, run);
  }

  /** The run that GitHub starts when another workflow's run has ended. */
  addReportingRun(workflowFile: string): stored.StoredRun {
    return this.addRun({ workflowFile, event: "workflow_run", status: "in_progress", conclusion: null });
  }

  addArtifact(artifact: Some<stored.StoredArtifact, "runId" | "zip">): stored.StoredArtifact {
    const usual = stored.usualArtifact(this.state.nextId(), artifact.runId, artifact.zip);
    return push(this.state.artifacts, { ...usual, ...artifact });
  }

  addRelease(release: Some<stored.StoredRelease, "tag">): stored.StoredRelease {
    return push(this.state.releases, { ...stored.usualRelease(this.state.nextId(), release.tag), ...release });
  }

  /** Answers GET /compare/base...head. Default: none behind. */
  addComparison(base: string, head: string, counts: { readonly aheadBy: number; readonly behindBy?: number }): void {
    this.state.comparisons.set(`${base}...${head}`, { behindBy: 0, ...counts });
  }

  /** A commit, and a branch that points to it. */
  addCommit(sha: string, { branch, ...commit }: Some<stored.StoredCommit> & { readonly branch?: string } = {}): void {
    this.state.commits.set(sha, { ...stored.usualCommit(sha), ...commit });
    if (branch !== undefined) this.state.branches.set(branch, sha);
  }

  /** How many REST calls arrived (neither the results service nor blobs count). */
  get apiCalls(): number {
    return this.requests.filter((request) => request.service === "api").length;
  }

  /** The comments of a pull request, oldest first. */
  commentsOf(issue: number): readonly stored.StoredComment[] {
    return this.state.comments.filter((comment) => comment.issue === issue);
  }

  /** ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL as a runner sets them for a job of this run. */
  runtimeEnv(runId: number): Record<string, string> {
    return { ACTIONS_RUNTIME_TOKEN: this.#results.runtimeToken(runId), ACTIONS_RESULTS_URL: `${this.url}/` };
  }

  /**
   * GITHUB_* as a runner sets them for this run; the event file is in a folder that disposing removes.
   * Default payload: of the pull request with the run's head, or of a push.
   */
  async jobEnv(
    run: stored.StoredRun,
    event: { readonly name?: string; readonly payload?: unknown; readonly ref?: string } = {},
  ): Promise<Record<string, string>> {
    const { name = run.event } = event;
    const pull = this.state.pulls.find((one) => one.headSha === run.headSha);
    const ofPull = name.startsWith("pull_request") ? pull : undefined;
    const ref = event.ref ?? (ofPull ? `refs/pull/${ofPull.number}/merge` : `refs/heads/${run.headBranch ?? "main"}`);
    const folder = await mkdtemp(join(tmpdir(), "server-bench-event-"));
    this.#folders.push(folder);
    const usual = ofPull ? pullRequestEvent(ofPull) : { ref, repository: repositoryOf() };
    await writeFile(join(folder, "event.json"), JSON.stringify(event.payload ?? usual));
    return {
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: stored.OWN,
      GITHUB_API_URL: this.url,
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_RUN_ID: String(run.id),
      GITHUB_RUN_ATTEMPT: String(run.attempt),
      GITHUB_WORKFLOW_REF: `${stored.OWN}/.github/workflows/${run.workflowFile}@${ref}`,
      GITHUB_SHA: run.headSha,
      GITHUB_REF: ref,
      GITHUB_EVENT_NAME: name,
      GITHUB_EVENT_PATH: join(folder, "event.json"),
    };
  }

  /** @throws Error naming every violation */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })));
    if (this.violations.length > 0) throw new Error(`against GitHub's description:\n${this.violations.join("\n")}`);
  }

  async #serve(origin: "api" | "blob", received: Received): Promise<Outcome> {
    const service = received.path.startsWith("/twirp/") ? "results" : origin;
    const logged: LoggedRequest = { ...received, service, status: undefined };
    this.requests.push(logged);
    for (const { hook } of used(this.#before, logged)) await hook(logged);
    const [fault] = used(this.#faults, logged, 1);
    const applies = fault === undefined || fault.dropAfterApplying;
    const worked = applies ? this.#work(logged) : undefined;
    for (const { hook } of used(this.#after, logged)) await hook(logged);
    const outcome = fault || !worked ? failure(fault ?? {}, applies ? 502 : 500) : worked;
    logged.status = typeof outcome === "string" ? undefined : outcome.status;
    return outcome;
  }

  #work(received: LoggedRequest): Reply {
    const { service, method, path, query, body: sent } = received;
    if (service === "blob") return this.#results.blob(received);
    if (service === "results") return this.#results.call(received, this.blobUrl);
    const report = (problems: readonly string[]) => {
      for (const problem of problems) this.violations.push(`${method} ${path}: ${problem}`);
    };
    const route = findRoute(method, path);
    if (route === undefined) {
      report(["the double has no such route"]);
      return new Refusal(404, "Not Found");
    }
    const operation = operationOf(method, route.template);
    report(operation.checkRequest(route.parameters, query, sent));
    const { status, headers = {}, body } = this.#answer(route, received);
    const answer = operation.fill(status, body);
    report(operation.checkAnswer(status, answer));
    return { status, headers, body: answer };
  }

  #answer({ parameters, scopes, handle }: Found, received: Received): Reply {
    const token = (received.headers.authorization ?? "").replace(/^(?:token|bearer) /i, "");
    const account = this.#accounts.get(token);
    if (account === undefined) return new Refusal(401, token === "" ? "Requires authentication" : "Bad credentials");
    const [owner, repo, name = ""] = Object.values(parameters);
    if (owner && `${owner}/${repo}`.toLowerCase() !== stored.OWN) return new Refusal(404, "Not Found");
    const needed = received.method === "GET" ? 1 : 2;
    const may = (scope: keyof stored.Permissions) => LEVELS.indexOf(account.permissions[scope] ?? "read") >= needed;
    if (scopes.length > 0 && !scopes.some(may)) {
      const kind = account.kind === "user" ? "personal access token" : "integration";
      return new Refusal(403, `Resource not accessible by ${kind}`);
    }
    const { state, url, blobUrl } = this;
    const body = { ...(received.body as object | undefined) };
    try {
      return handle({ state, url, blobUrl, account, name, id: Number(name), body, received });
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }
}

type Found = NonNullable<ReturnType<typeof findRoute>>;

function failure({ timeout, reset, headers, body, ...fault }: Partial<Fault>, defaultStatus: number): Outcome {
  if (timeout) return "silent";
  if (reset) return "reset";
  const { status = defaultStatus } = fault;
  return { status, body: body ?? { message: `The double answers ${status}` }, ...(headers && { headers }) };
}

/** Those that match, in the order in which they were added, each used once. */
function used<Item>(queue: Queue<Item>, request: LoggedRequest, most = Number.POSITIVE_INFINITY) {
  const matching = queue
    .filter(
      ({ method = request.method, path, left }) => left > 0 && method === request.method && path.test(request.path),
    )
    .slice(0, most);
  for (const one of matching) one.left -= 1;
  return matching;
}

function push<Item>(items: Item[], item: Item): Item {
  items.push(item);
  return item;
}

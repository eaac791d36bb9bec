/**
 * GitHub's API as an in-process HTTP server: stateful, with permissions and faults. Every request and every answer of
 * its REST part is checked against GitHub's own OpenAPI description; disposing throws when one of them broke it.
 *
 * Blobs (artifacts) have an origin of their own, as at GitHub: a token that is sent there is a violation too.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pullOf, repositoryOf, runOf } from "./factories.js";
import { type Fault, type Match, Queue } from "./faults.js";
import { type Listening, listen, type Outcome, type Received, type Reply } from "./http.js";
import { operationOf } from "./openapi.js";
import { ResultsService } from "./results-service.js";
import { type Context, type Route, refusal } from "./route.js";
import { ROUTES } from "./routes.js";
import {
  type Access,
  type Account,
  type Permissions,
  State,
  type StoredArtifact,
  type StoredComment,
  type StoredPull,
  type StoredRelease,
  type StoredRun,
  sha256,
  shaOf,
} from "./state.js";

export type { Fault, Match } from "./faults.js";
export type { Account, StoredArtifact, StoredComment, StoredPull, StoredRun } from "./state.js";
export { sha256, shaOf } from "./state.js";

export interface DoubleOptions {
  readonly owner?: string;
  readonly repo?: string;
  /** The token of the job (default "test-token"); further ones with `addToken`. */
  readonly token?: string;
  /** Default: everything may be written. When given, what is not named may be read, as in a public repository. */
  readonly permissions?: Permissions;
  /** Default: github-actions[bot], an installation, whose GET /user answers 403. */
  readonly account?: { readonly login: string; readonly kind: Account["kind"] };
}

export interface LoggedRequest {
  /** REST API, the Actions results service (twirp), or a signed blob address. */
  readonly service: "api" | "results" | "blob";
  readonly method: string;
  /** Still encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or undefined. */
  readonly body: unknown;
  /** performance.now() at arrival. */
  readonly atMs: number;
  /** What was answered; undefined while under way, and when the connection was cut or left silent. */
  readonly status: number | undefined;
}

type Hook = (request: LoggedRequest) => void | Promise<void>;
type Logged = { -readonly [Key in keyof LoggedRequest]: LoggedRequest[Key] };

const ALL: Required<Permissions> = { issues: "write", pullRequests: "write", actions: "write", contents: "write" };
const LEVELS: Readonly<Record<Access, number>> = { none: 0, read: 1, write: 2 };
/** Runs and commits of the double begin here; each is a minute younger than the one before. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** A workflow that reports the runs of another one. */
const REPORTS = "name: Report\non: { workflow_run: { workflows: [Benchmark] } }\n";

export class GitHubDouble implements AsyncDisposable {
  readonly owner: string;
  readonly repo: string;
  /** The job's token. */
  readonly token: string;
  readonly state = new State();
  /** Every request in order of arrival. */
  readonly requests: LoggedRequest[] = [];
  /** Breaches of GitHub's description. Disposing throws when there are any: a test that wants some empties it. */
  readonly violations: string[] = [];
  readonly #accounts = new Map<string, Account>();
  readonly #faults = new Queue<Fault>();
  readonly #before = new Queue<Match & { readonly hook: Hook }>();
  readonly #after = new Queue<Match & { readonly hook: Hook }>();
  readonly #results = new ResultsService(this.state, (violation) => this.violations.push(violation));
  readonly #folders: string[] = [];
  #api: Listening | undefined;
  #blobs: Listening | undefined;

  private constructor(options: DoubleOptions) {
    this.owner = options.owner ?? "acme";
    this.repo = options.repo ?? "server";
    this.token = options.token ?? "test-token";
    const account = options.account ?? { login: "github-actions[bot]", kind: "installation" };
    this.addToken(this.token, { ...account, permissions: options.permissions ?? ALL });
  }

  static async start(options: DoubleOptions = {}): Promise<GitHubDouble> {
    const double = new GitHubDouble(options);
    double.#api = await listen((received) => double.#serve("api", received));
    double.#blobs = await listen((received) => double.#serve("blob", received));
    return double;
  }

  /** The API's base, for GITHUB_API_URL. */
  get url(): string {
    return this.#api?.url ?? "";
  }

  /** The origin of signed addresses. */
  get blobUrl(): string {
    return this.#blobs?.url ?? "";
  }

  /** Another token, such as a user's. */
  addToken(token: string, account: Account): void {
    this.#accounts.set(token, account);
  }

  /** Fails the next matching requests, of any service. Faults are used in the order in which they were added. */
  fail(fault: Fault): void {
    this.#faults.add(fault);
  }

  /** Faults and delays that no request has met yet are called off. */
  heal(): void {
    for (const queue of [this.#faults, this.#before, this.#after]) queue.clear();
  }

  /** Runs and awaits `hook` when a matching request has arrived and nothing of it was done: to interleave, to delay. */
  before(match: Match, hook: Hook): void {
    this.#before.add({ ...match, hook });
  }

  /** The same when the work is done and not yet answered. */
  after(match: Match, hook: Hook): void {
    this.#after.add({ ...match, hook });
  }

  /** Default: by octocat, on the issue or pull request 1. */
  addComment(comment: Partial<StoredComment> = {}): StoredComment {
    const now = new Date().toISOString();
    const added = { issue: 1, login: "octocat", body: "Nice.", createdAt: now, updatedAt: now, ...comment };
    return push(this.state.comments, { id: this.state.nextId(), ...added });
  }

  /** Default: the next number, open, from branch "feature" of this repository to "main". */
  addPull(pull: Partial<StoredPull> = {}): StoredPull {
    const number = pull.number ?? Math.max(0, ...this.state.pulls.map((one) => one.number)) + 1;
    return push(this.state.pulls, {
      number,
      title: `Change ${number}`,
      state: "open",
      locked: false,
      headRef: "feature",
      headSha: shaOf(`head of ${number}`),
      headRepository: this.#fullName,
      baseRef: "main",
      baseSha: shaOf("base"),
      ...pull,
    });
  }

  /**
   * Default: a completed, successful push run of bench.yml on main, a minute younger than the one before. Its workflow is
   * on the default branch, unless a test takes it out of `state.files`.
   */
  addRun(run: Partial<StoredRun> = {}): StoredRun {
    const id = run.id ?? this.state.nextId();
    const count = this.state.runs.length;
    const path = `.github/workflows/${run.workflowFile ?? "bench.yml"}`;
    if (!this.state.files.has(path))
      this.state.files.set(path, run.event === "workflow_run" ? REPORTS : "name: Benchmark\n");
    return push(this.state.runs, {
      id,
      attempt: 1,
      workflowFile: "bench.yml",
      event: "push",
      status: "completed",
      conclusion: "success",
      headBranch: "main",
      headSha: shaOf(`commit of run ${id}`),
      headRepository: this.#fullName,
      createdAt: new Date(EPOCH_MS + count * 60_000).toISOString(),
      ...run,
    });
  }

  /** The run that GitHub starts when another workflow's run has ended. */
  addReportingRun(workflowFile: string): StoredRun {
    return this.addRun({ workflowFile, event: "workflow_run", status: "in_progress", conclusion: null });
  }

  /** `digest` defaults to that of `zip`; null: GitHub gives none; another one makes a mismatch. */
  addArtifact(artifact: Partial<StoredArtifact> & { readonly runId: number; readonly zip: Buffer }): StoredArtifact {
    return push(this.state.artifacts, {
      id: this.state.nextId(),
      name: "server-bench-results",
      digest: sha256(artifact.zip),
      expired: false,
      createdAt: new Date().toISOString(),
      ...artifact,
    });
  }

  /** Default: published. */
  addRelease(release: Partial<StoredRelease> & { readonly tag: string }): StoredRelease {
    const added = { body: "", draft: false, immutable: false, assets: [], ...release };
    return push(this.state.releases, { id: this.state.nextId(), ...added });
  }

  /** Answers GET /compare/base...head. Default: none behind, the base itself is the merge base. */
  addComparison(
    base: string,
    head: string,
    counts: { readonly aheadBy: number; readonly behindBy?: number; readonly mergeBase?: string },
  ): void {
    this.state.comparisons.set(`${base}...${head}`, { mergeBase: base, behindBy: 0, ...counts });
  }

  /** A commit, and a branch that points to it. */
  addCommit(
    sha: string,
    options: {
      readonly branch?: string;
      readonly message?: string;
      readonly parents?: readonly string[];
      readonly byGitHub?: boolean;
    } = {},
  ): void {
    const { message = "Change", parents = [], byGitHub = false } = options;
    this.state.commits.set(sha, { sha, message, parents, byGitHub });
    if (options.branch !== undefined) this.state.branches.set(options.branch, sha);
  }

  /** How many REST calls arrived (neither the results service nor blobs count). */
  get apiCalls(): number {
    return this.requests.filter((request) => request.service === "api").length;
  }

  /** The comments of a pull request, oldest first. */
  commentsOf(issue: number): readonly StoredComment[] {
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
    run: StoredRun,
    event: { readonly name?: string; readonly payload?: unknown; readonly ref?: string } = {},
  ): Promise<Record<string, string>> {
    const name = event.name ?? run.event;
    const pull = this.state.pulls.find((one) => one.headSha === run.headSha);
    const ofPull = name.startsWith("pull_request") && pull !== undefined;
    const ref = event.ref ?? (ofPull ? `refs/pull/${pull.number}/merge` : `refs/heads/${run.headBranch ?? "main"}`);
    const folder = await mkdtemp(join(tmpdir(), "server-bench-event-"));
    this.#folders.push(folder);
    const payload = event.payload ?? (ofPull ? this.pullRequestEvent(pull) : { ref, repository: this.#repository });
    await writeFile(join(folder, "event.json"), JSON.stringify(payload));
    return {
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: this.#fullName,
      GITHUB_API_URL: this.url,
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_RUN_ID: String(run.id),
      GITHUB_RUN_ATTEMPT: String(run.attempt),
      GITHUB_WORKFLOW_REF: `${this.#fullName}/.github/workflows/${run.workflowFile}@${ref}`,
      GITHUB_SHA: run.headSha,
      GITHUB_REF: ref,
      GITHUB_EVENT_NAME: name,
      GITHUB_EVENT_PATH: join(folder, "event.json"),
    };
  }

  /** The event file of a `pull_request` run. */
  pullRequestEvent(pull: StoredPull, action = "synchronize"): Record<string, unknown> {
    return { action, number: pull.number, pull_request: pullOf(this.#site, pull), repository: this.#repository };
  }

  /** The event file of a `workflow_run` job that this run started. */
  workflowRunEvent(run: StoredRun): Record<string, unknown> {
    return { action: "completed", workflow_run: runOf(this.#site, run), repository: this.#repository };
  }

  /** @throws Error naming every violation */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#api?.close(), this.#blobs?.close()]);
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })));
    if (this.violations.length > 0) throw new Error(`against GitHub's description:\n${this.violations.join("\n")}`);
  }

  get #fullName(): string {
    return `${this.owner}/${this.repo}`;
  }

  get #site() {
    return { owner: this.owner, repo: this.repo, url: this.url };
  }

  get #repository(): unknown {
    return repositoryOf(this.#site, this.#fullName);
  }

  async #serve(origin: "api" | "blob", received: Received): Promise<Outcome> {
    const service = received.path.startsWith("/twirp/") ? "results" : origin;
    const { method, path, query, headers, bytes } = received;
    const atMs = performance.now();
    const logged: Logged = { service, method, path, query, headers, body: jsonOf(bytes), atMs, status: undefined };
    this.requests.push(logged);
    for (const { hook } of this.#before.takeAll(logged)) await hook(logged);
    const fault = this.#faults.take(logged);
    const outcome =
      fault && !fault.dropAfterApplying ? failure(fault, 500) : this.#work(service, received, logged.body);
    for (const { hook } of this.#after.takeAll(logged)) await hook(logged);
    const final = fault?.dropAfterApplying ? failure(fault, 502) : outcome;
    logged.status = typeof final === "string" ? undefined : final.status;
    return final;
  }

  #work(service: LoggedRequest["service"], received: Received, body: unknown): Reply {
    if (service === "blob") return this.#results.blob(received);
    if (service === "results") return this.#results.call(received, this.blobUrl) ?? { status: 404, body: {} };
    return this.#rest(received, body);
  }

  #rest(received: Received, body: unknown): Reply {
    const { method, path, query } = received;
    const found = findRoute(method, path);
    if (found === undefined) {
      this.violations.push(`${method} ${path}: the double has no such route`);
      return refusal(404, "Not Found");
    }
    const { route, parameters } = found;
    const operation = operationOf(method, route.template);
    const report = (problems: readonly string[]) => {
      for (const problem of problems) this.violations.push(`${method} ${path}: ${problem}`);
    };
    report(operation.checkRequest({ parameters, query, body }));
    const reply = this.#authorised(route, parameters, received, body);
    report(operation.checkAnswer(reply.status, reply.body));
    return { ...reply, headers: { ...RATE_HEADERS, ...reply.headers } };
  }

  #authorised(route: Route, parameters: Context["parameters"], received: Received, body: unknown): Reply {
    const token = (received.headers.authorization ?? "").replace(/^(?:token|bearer) /i, "");
    const account = this.#accounts.get(token);
    if (account === undefined) return refusal(401, token === "" ? "Requires authentication" : "Bad credentials");
    const { owner = this.owner, repo = this.repo } = parameters;
    if (`${owner}/${repo}`.toLowerCase() !== this.#fullName.toLowerCase()) return refusal(404, "Not Found");
    if (!allowed(account, route)) {
      const kind = account.kind === "user" ? "personal access token" : "integration";
      return refusal(403, `Resource not accessible by ${kind}`);
    }
    return route.handle({
      ...this.#site,
      state: this.state,
      blobUrl: this.blobUrl,
      account,
      parameters,
      query: received.query,
      body: typeof body === "object" && body !== null ? { ...body } : {},
      file: { bytes: received.bytes, contentType: received.headers["content-type"] ?? "" },
      address: `${this.url}${received.path}`,
    });
  }
}

const RATE_HEADERS = {
  "x-github-request-id": "0000:0000:0000:0000:00000000",
  "x-ratelimit-limit": "5000",
  "x-ratelimit-remaining": "4999",
};

function failure(fault: Fault, defaultStatus: number): Outcome {
  if (fault.timeout) return "silent";
  if (fault.reset) return "reset";
  const { status = defaultStatus, headers } = fault;
  const body = fault.body ?? { message: `The double answers ${status}` };
  return { status, body, headers: { ...RATE_HEADERS, ...headers } };
}

function allowed({ permissions }: Account, { method, scopes }: Route): boolean {
  const needed: Access = method === "GET" ? "read" : "write";
  return scopes.length === 0 || scopes.some((scope) => LEVELS[permissions[scope] ?? "read"] >= LEVELS[needed]);
}

function findRoute(method: string, path: string) {
  for (const route of ROUTES) {
    const names = [...route.template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
    const pattern = new RegExp(`^${route.template.replace(/\{\w+\}/g, "([^/]+)")}$`);
    const values = route.method === method ? pattern.exec(path)?.slice(1) : undefined;
    if (values === undefined) continue;
    const parameters = Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(values[i] ?? "")]));
    return { route, parameters };
  }
  return undefined;
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return bytes.length === 0 ? undefined : JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function push<Item>(items: Item[], item: Item): Item {
  items.push(item);
  return item;
}

/** What the double of GitHub remembers: plain values, not the API's shapes (those are made in factories.ts). */
import { createHash } from "node:crypto";

export type Access = "none" | "read" | "write";

/** What a token may do in the repository, named like a workflow's `permissions`. */
export interface Permissions {
  readonly issues?: Access;
  readonly pullRequests?: Access;
  readonly actions?: Access;
  readonly contents?: Access;
}

/** Who a token stands for. An installation's (GITHUB_TOKEN) may not ask `GET /user`; a user's may. */
export interface Account {
  readonly login: string;
  readonly kind: "installation" | "user";
  readonly permissions: Permissions;
}

export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  readonly login: string;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
}

export interface StoredPull {
  readonly number: number;
  title: string;
  state: "open" | "closed";
  locked: boolean;
  headRef: string;
  headSha: string;
  /** owner/name; undefined: the fork was deleted. */
  headRepository: string | undefined;
  baseRef: string;
  baseSha: string;
}

export interface StoredRun {
  readonly id: number;
  attempt: number;
  workflowFile: string;
  event: string;
  status: "queued" | "in_progress" | "completed";
  conclusion: string | null;
  headBranch: string | null;
  headSha: string;
  /** owner/name; undefined: the fork was deleted. */
  headRepository: string | undefined;
  createdAt: string;
  /** Of the last attempt; default: `createdAt`. */
  startedAt?: string;
  /** Its `run-name`; default "Change". */
  displayTitle?: string;
}

export interface StoredArtifact {
  readonly id: number;
  readonly runId: number;
  readonly name: string;
  /** What the download answers: the file itself where it was uploaded without a zip. */
  zip: Buffer;
  /** Default: a zip. */
  readonly contentType?: string;
  /** What the API says of it: "sha256:<hex>", or null as for artifacts of old. */
  digest: string | null;
  expired: boolean;
  readonly createdAt: string;
}

export interface StoredRelease {
  readonly id: number;
  readonly tag: string;
  body: string | null;
  draft: boolean;
  /** Only its name and its body can change. */
  immutable: boolean;
  assets: StoredAsset[];
}

/** A file of a release. */
export interface StoredAsset {
  readonly id: number;
  name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface StoredCommit {
  readonly sha: string;
  readonly message: string;
  readonly parents: readonly string[];
  /** Made and signed by GitHub itself, as the merge of a pull request is. */
  readonly byGitHub: boolean;
}

export interface StoredComparison {
  readonly mergeBase: string;
  readonly aheadBy: number;
  readonly behindBy: number;
}

export interface StoredPush {
  /** "refs/heads/feature" */
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  /** ISO 8601 */
  readonly at: string;
}

export interface StoredReaction {
  readonly issue: number;
  /** Null: to the pull request itself. */
  readonly comment: number | null;
  readonly login: string;
  readonly content: string;
}

/** A workflow that was started through the API. */
export interface StoredDispatch {
  readonly file: string;
  readonly ref: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/** Everything that tests arrange and inspect. */
export class State {
  readonly comments: StoredComment[] = [];
  readonly pulls: StoredPull[] = [];
  readonly runs: StoredRun[] = [];
  readonly artifacts: StoredArtifact[] = [];
  readonly releases: StoredRelease[] = [];
  /** Keyed by SHA; branches point into it. */
  readonly commits = new Map<string, StoredCommit>();
  /** Branch name -> SHA. */
  readonly branches = new Map<string, string>();
  /** Of the default branch, by path. */
  readonly files = new Map<string, string>();
  /** Login -> none, read, triage, write, maintain, admin. Whoever is not named may read. */
  readonly roles = new Map<string, string>();
  /** Oldest first. */
  readonly pushes: StoredPush[] = [];
  readonly reactions: StoredReaction[] = [];
  readonly dispatches: StoredDispatch[] = [];
  /** Keyed by "base...head". */
  readonly comparisons = new Map<string, StoredComparison>();
  #lastId = 1000;

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** A signed address for a blob: the path has an account, a container and a name, as Azure's client wants it. */
  signedPath(id: number): string {
    return `/actions/artifacts/${id}?sig=${signature(id)}&se=2099-01-01`;
  }

  /** Undefined when the signature is not the path's. */
  idOfBlob(path: string, sig: string | undefined): number | undefined {
    const id = Number(/^\/actions\/artifacts\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    return sig === signature(id) ? id : undefined;
  }

  /** Those that hold results or a plan, without the pages. */
  get archives(): readonly StoredArtifact[] {
    return this.artifacts.filter(({ contentType }) => contentType === undefined);
  }

  /** Files that a browser opens. */
  get pages(): readonly StoredArtifact[] {
    return this.artifacts.filter(({ contentType }) => contentType === "text/html");
  }

  comment(id: number): StoredComment | undefined {
    return this.comments.find((comment) => comment.id === id);
  }

  pull(number: number): StoredPull | undefined {
    return this.pulls.find((pull) => pull.number === number);
  }

  run(id: number): StoredRun | undefined {
    return this.runs.find((run) => run.id === id);
  }
}

function signature(id: number): string {
  return createHash("sha256").update(`signature of ${id}`).digest("hex");
}

export function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A commit's SHA out of a word: the same word, the same SHA. */
export function shaOf(word: string): string {
  return createHash("sha1").update(word).digest("hex");
}

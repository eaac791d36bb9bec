/** What the double of GitHub remembers: plain values, not the API's shapes (those are made in factories.ts). */
import { createHash } from "node:crypto";

/** The repository of the double, owner/name. */
export const OWN = "acme/server";
/** Runs of the double begin here; each is a minute younger than the one before. */
const EPOCH_MS = Date.UTC(2026, 0, 1);

/** What a token may do in the repository, named like a workflow's `permissions`. */
export type Permissions = Readonly<
  Partial<Record<"issues" | "pullRequests" | "actions" | "contents", "none" | "read" | "write">>
>;

/** Who a token stands for. An installation's (GITHUB_TOKEN) may not ask `GET /user`; a user's may. */
export interface Account {
  readonly login: string;
  readonly kind: "installation" | "user";
  readonly permissions: Permissions;
}

export type StoredComment = ReturnType<typeof usualComment>;

/** By octocat, on the issue or pull request 1. */
export function usualComment(id: number) {
  const now = new Date().toISOString();
  return { id, issue: 1, login: "octocat", body: "Nice.", createdAt: now, updatedAt: now };
}

export type StoredPull = ReturnType<typeof usualPull>;

/** Open, from branch "feature" of this repository to "main". */
export function usualPull(number: number) {
  return {
    number,
    state: "open" as "open" | "closed",
    locked: false,
    headRef: "feature",
    headSha: shaOf(`head of ${number}`),
    /** owner/name; undefined: the fork was deleted. */
    headRepository: OWN as string | undefined,
    baseRef: "main",
    baseSha: shaOf("base"),
  };
}

export type StoredRun = ReturnType<typeof usualRun>;

/** A completed, successful push run of bench.yml on main. @param count runs before it */
export function usualRun(id: number, count: number) {
  return {
    id,
    attempt: 1,
    workflowFile: "bench.yml",
    event: "push",
    status: "completed" as "queued" | "in_progress" | "completed",
    conclusion: "success" as string | null,
    headBranch: "main" as string | null,
    headSha: shaOf(`commit of run ${id}`),
    /** owner/name; undefined: the fork was deleted. */
    headRepository: OWN as string | undefined,
    createdAt: new Date(EPOCH_MS + count * 60_000).toISOString(),
    /** Of the last attempt; undefined: `createdAt`. */
    startedAt: undefined as string | undefined,
    /** Its `run-name`. */
    displayTitle: "Change",
  };
}

export type StoredArtifact = ReturnType<typeof usualArtifact>;

export function usualArtifact(id: number, runId: number, zip: Buffer) {
  return {
    id,
    runId,
    name: "server-bench-results",
    /** What the download answers: the file itself where it was uploaded without a zip. */
    zip,
    contentType: "application/zip",
    /** What the API says of it, which may be untrue; null as for artifacts of old. */
    digest: sha256(zip) as string | null,
    expired: false,
    createdAt: new Date().toISOString(),
  };
}

export type StoredRelease = ReturnType<typeof usualRelease>;

/** A published one. In an immutable one, only its name and its body can change. */
export function usualRelease(id: number, tag: string) {
  return { id, tag, body: "" as string | null, draft: false, immutable: false, assets: [] as StoredAsset[] };
}

/** A file of a release. */
export interface StoredAsset {
  readonly id: number;
  name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export type StoredCommit = ReturnType<typeof usualCommit>;

/** `byGitHub`: made and signed by GitHub itself, as the merge of a pull request is. */
export function usualCommit(sha: string) {
  return { sha, parents: [] as readonly string[], byGitHub: false };
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
  /** Of a ref such as "refs/heads/feature", at a time in ISO 8601; oldest first. */
  readonly pushes: { ref: string; before: string; after: string; at: string }[] = [];
  /** `comment` is null where it is to the pull request itself. */
  readonly reactions: { issue: number; comment: number | null; login: string; content: string }[] = [];
  /** Workflows that were started through the API. */
  readonly dispatches: { file: string; ref: string; inputs: Readonly<Record<string, string>> }[] = [];
  /** Keyed by "base...head". */
  readonly comparisons = new Map<string, { readonly aheadBy: number; readonly behindBy: number }>();
  #lastId = 1000;

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Those that hold results or a plan, without the pages. */
  get archives(): readonly StoredArtifact[] {
    return this.artifacts.filter(({ contentType }) => contentType === "application/zip");
  }

  /** Files that a browser opens. */
  get pages(): readonly StoredArtifact[] {
    return this.artifacts.filter(({ contentType }) => contentType === "text/html");
  }
}

/** A signed address for a blob: the path has an account, a container and a name, as Azure's client wants it. */
export function signedPath(id: number): string {
  return `/actions/artifacts/${id}?sig=${shaOf(`signature of ${id}`)}&se=2099-01-01`;
}

export function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A commit's SHA out of a word: the same word, the same SHA. */
export function shaOf(word: string): string {
  return createHash("sha1").update(word).digest("hex");
}

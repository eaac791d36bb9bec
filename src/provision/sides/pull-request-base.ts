/** Which commit a checked-out pull request is compared with. */
import { FETCH_LIMIT_MS, fetchAside, type Remote } from "./fetch-aside.js";
import { git, gitWith, isShallow } from "./git.js";
import { shortRef } from "./short-ref.js";

export type PullRequestBase =
  | { readonly state: "found"; readonly ref: string; readonly sha: string }
  | { readonly state: "missing"; readonly reason: string };

interface Event {
  /** GITHUB_SHA: for a pull request GitHub's own merge of it into its base branch. */
  readonly sha: string;
  /** The head of the base branch, from the event. */
  readonly baseSha: string;
}

/**
 * The base of what is checked out in `cwd`. Of GitHub's merge commit that is its first parent: the event's base may be
 * older than what GitHub merged with. Otherwise it is the merge base: commits that others merged meanwhile do not count
 * against the pull request. A missing commit is fetched once, by its SHA; no branch moves.
 * @param remote where a commit is fetched from that `origin` does not give without a credential
 */
export async function pullRequestBase(cwd: string, { sha, baseSha }: Event, remote?: Remote): Promise<PullRequestBase> {
  const head = await git(cwd, "rev-parse", "--verify", "--quiet", "HEAD").catch((error: Error) => error);
  if (head instanceof Error)
    return missing(`no commit is checked out in ${cwd}: ${firstLine(head.message)}${ownerRemedy(cwd, head)}`);
  const first = await mergedWith(cwd, sha);
  if (first !== undefined) {
    const problem = await obtain(cwd, first, remote);
    return problem === undefined ? { state: "found", ref: first, sha: first } : missing(problem);
  }
  return await mergeBase(cwd, head, baseSha, remote);
}

/** In the container of a job the checkout belongs to another user than its steps run as. */
function ownerRemedy(cwd: string, { message }: Error): string {
  if (!message.includes("dubious ownership")) return "";
  return `; in a step before this one, run: git config --global --add safe.directory ${cwd}`;
}

/** The first parent of GitHub's own merge, where it is checked out; undefined: it is not. */
export async function mergedWith(cwd: string, sha: string): Promise<string | undefined> {
  const head = await git(cwd, "rev-parse", "--verify", "--quiet", "HEAD").catch(() => "");
  if (head !== sha) return undefined;
  const parents = await parentsOf(cwd);
  return parents.length === 2 ? parents[0] : undefined;
}

/** Of HEAD, read from the commit: in a shallow clone `HEAD^` is missing. */
async function parentsOf(cwd: string): Promise<string[]> {
  const [header = ""] = (await git(cwd, "cat-file", "commit", "HEAD")).split("\n\n");
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, parent]) => parent ?? []);
}

async function mergeBase(
  cwd: string,
  head: string,
  baseSha: string,
  remote: Remote | undefined,
): Promise<PullRequestBase> {
  if (!/^[0-9a-f]{40,64}$/.test(baseSha)) return missing(`the base of the pull request is no commit: ${baseSha}`);
  const problem = await obtain(cwd, baseSha, remote);
  if (problem !== undefined) return missing(problem);
  const found = await git(cwd, "merge-base", head, baseSha).catch(() => "");
  if (found !== "") return { state: "found", ref: found, sha: found };
  return missing(
    (await isShallow(cwd))
      ? `the checkout is shallow, so that it does not show where ${shortRef(head)} left the base branch (${shortRef(baseSha)}); give actions/checkout "fetch-depth: 0"`
      : `${shortRef(head)} and the base branch (${shortRef(baseSha)}) have no commit in common`,
  );
}

/** @returns why the commit is not there, when it is not */
async function obtain(cwd: string, sha: string, remote: Remote | undefined): Promise<string | undefined> {
  if (await isHere(cwd, sha)) return undefined;
  // A depth in a whole clone would make it a shallow one.
  const depth = (await isShallow(cwd)) ? ["--depth=1"] : [];
  const fetched = async (from: string) =>
    await gitWith({ cwd, timeoutMs: FETCH_LIMIT_MS }, ...FETCH, ...depth, "--", from, sha).then(
      () => "",
      (error: Error) => `: ${firstLine(error.message)}`,
    );
  let failure = await fetched("origin");
  if (remote !== undefined && !(await isHere(cwd, sha)))
    failure = await fetchAside({ repository: cwd, sha, remote, args: [...FETCH, ...depth] }, fetched).catch(
      (error: Error) => `: ${firstLine(error.message)}`,
    );
  if (await isHere(cwd, sha)) return undefined;
  return `the commit ${shortRef(sha)} is not in the checkout: give actions/checkout "fetch-depth: 0" (fetching it failed${failure})`;
}

const FETCH = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--no-recurse-submodules"];

async function isHere(cwd: string, sha: string): Promise<boolean> {
  return (await git(cwd, "cat-file", "-e", `${sha}^{commit}`).catch(() => "no")) === "";
}

function missing(reason: string): PullRequestBase {
  return { state: "missing", reason };
}

/** Git's error line, without its hints. It may be shown in a comment: a password in an address is left out. */
function firstLine(message: string): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((text) => /^(fatal|error):/.test(text)) ?? lines[0] ?? message;
  return line.replaceAll(/\/\/[^/@\s]+@/g, "//");
}

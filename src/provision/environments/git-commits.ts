/**
 * `x @ git+https://host/x.git@main` -> the same with the commit that the branch has now. A branch moves: an environment
 * that was cached by its name would hold the code of the day on which it was built.
 */
import { SetupError } from "../../errors.js";
import type { EnvironmentSpec } from "../../plan/types.js";
import type { RunContext } from "../../process/run.js";
import type { ProvisionContext } from "../context.js";
import { redact, runTool } from "../tools/run-tool.js";

/** A remote lists its references within seconds; a large one over a slow line takes longer. */
const LIMIT_SEC = 60;

/** The remote does not say which commit a requirement means; the rows that need it fail. */
export class GitReferenceError extends SetupError {}
/** It gave no answer at all. */
class RemoteError extends GitReferenceError {}

interface GitRequirement {
  /** `x @ git+` */
  readonly start: string;
  readonly url: string;
  /** undefined: the remote's default branch. */
  readonly reference: string | undefined;
  /** `#subdirectory=lib`, and a marker. */
  readonly end: string;
}

/**
 * The environment with commits in place of the branches and tags of its requirements.
 * @throws GitReferenceError where a remote cannot be asked, or has no such reference: an older commit would be measured
 * under today's name
 */
export async function withCommits(context: ProvisionContext, spec: EnvironmentSpec): Promise<EnvironmentSpec> {
  const { requires, own = [], server } = spec;
  const all = (some: readonly string[]) => Promise.all(some.map((requirement) => pinned(context, requirement, server)));
  return { ...spec, requires: await all(requires), ...(own.length > 0 && { own: await all(own) }) };
}

/**
 * The same for requirements of an app's own files. They may name a remote that only uv can reach, with a token in a variable for
 * example, or one that this machine does not need: then a note says that a cached environment may be older.
 * @param subject the app, for messages @throws GitReferenceError where a remote has no such reference
 */
export async function commitsOf(
  context: ProvisionContext,
  requirements: readonly string[],
  subject: string,
): Promise<string[]> {
  const pin = async (requirement: string): Promise<string> => {
    try {
      return await pinned(context, requirement, subject);
    } catch (error) {
      context.run.signal.throwIfAborted();
      if (!(error instanceof RemoteError)) throw error;
      context.progress.note(`${error.message}. If its environment is there already, it may hold an older commit`);
      return requirement;
    }
  };
  return await Promise.all([...new Set(requirements)].map(pin));
}

async function pinned(context: ProvisionContext, requirement: string, server: string): Promise<string> {
  const found = gitRequirement(requirement);
  if (found === undefined || (found.reference !== undefined && isCommit(found.reference))) return requirement;
  const { start, url, reference, end } = found;
  const commit = await commitOf(context, url, reference ?? "HEAD", server);
  if (commit !== undefined) return `${start}${url}@${commit}${end}`;
  // Part of a commit's name: it does not move.
  if (reference !== undefined && /^[0-9a-f]{7,}$/.test(reference)) return requirement;
  throw new GitReferenceError(
    `${server}: ${redact(url)} has no ${reference === undefined ? "default branch" : `branch or tag ${reference}`}; correct the reference after the last @ of its requirement`,
  );
}

function gitRequirement(requirement: string): GitRequirement | undefined {
  const match = /^(.* @ git\+)((?:https?|ssh|git|file):\/\/[^/\s]*\/[^@#\s]*)(?:@([^#\s]+))?(.*)$/.exec(requirement);
  const [, start, url, reference, end = ""] = match ?? [];
  return start === undefined || url === undefined ? undefined : { start, url, reference, end };
}

function isCommit(reference: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(reference);
}

/** Of each run, by address and reference: all environments of a run get the same commit. */
const asked = new WeakMap<RunContext, Map<string, Promise<string | undefined>>>();

async function commitOf(
  context: ProvisionContext,
  url: string,
  reference: string,
  server: string,
): Promise<string | undefined> {
  const known = asked.get(context.run) ?? new Map<string, Promise<string | undefined>>();
  asked.set(context.run, known);
  const key = `${url} ${reference}`;
  const answer = known.get(key) ?? ask(context, url, reference, server);
  known.set(key, answer);
  return await answer;
}

async function ask(
  context: ProvisionContext,
  url: string,
  reference: string,
  server: string,
): Promise<string | undefined> {
  // As uv looks a name up; of an annotated tag, what it points at.
  const names = [`refs/heads/${reference}`, `refs/tags/${reference}^{}`, `refs/tags/${reference}`, reference];
  const listing = await runTool(context, {
    step: `${server}: asking for the commit of ${reference}`,
    command: ["git", "ls-remote", "--", url, ...names],
    remedy: () => "check the network and the address, or give a commit of 40 digits",
    timeoutSec: LIMIT_SEC,
  }).catch((error: unknown) => {
    throw error instanceof SetupError ? new RemoteError(error.message, error.log) : error;
  });
  const commits = new Map(listing.split("\n").map((line) => [line.split("\t")[1], line.split("\t")[0]]));
  return names.map((name) => commits.get(name)).find((commit) => commit !== undefined);
}

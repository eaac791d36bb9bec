/** A release in the checkout: its commit, and the tag before it. Nothing is fetched, nothing is checked out. */
import { InputError } from "../errors.js";
import { nameSome } from "../messages/sentence.js";
import { didYouMean } from "../plan/nearest.js";
import { git, hasUncommittedChanges, isShallow } from "../provision/sides/git.js";
import { shellLine } from "../report/text/shell-line.js";
import { previousTag } from "./tags.js";

export interface ReleaseTags {
  readonly tag: string;
  readonly sha: string;
  readonly previous: PreviousRelease;
  /** What the reader may not expect, such as tags that are no version. */
  readonly notes: readonly string[];
}

type PreviousRelease =
  | { readonly kind: "found"; readonly tag: string; readonly sha: string }
  | { readonly kind: "first"; readonly reason: string };

/** The options as the user knows them, for messages: `--tag`, or the input `tag`. */
export interface TagOptions {
  readonly tag: string;
  readonly previous: string;
}

interface Asked {
  readonly tag: string;
  readonly previous: string | undefined;
  readonly cwd: string;
  readonly options: TagOptions;
}

/**
 * Finds the release and the one before it, by version order among the checkout's tags.
 * @throws InputError for a tag that is not in the checkout, or has no version and no previous tag was given
 */
export async function findReleaseTags({ tag, previous, cwd, options }: Asked): Promise<ReleaseTags> {
  const commits = await readTags(cwd, options.tag, tag);
  const sha = commits.get(tag);
  if (sha === undefined)
    throw new InputError(`${options.tag} ${tag}: ${await whyNoTag(tag, cwd, [...commits.keys()])}`);
  if (previous !== undefined) {
    const given = commits.get(previous);
    if (given === undefined)
      throw new InputError(`${options.previous} ${previous}: ${await whyNoTag(previous, cwd, [...commits.keys()])}`);
    if (given === sha) throw new InputError(`${options.previous} ${previous}: is the same commit as ${tag} (${sha})`);
    return { tag, sha, previous: { kind: "found", tag: previous, sha: given }, notes: [] };
  }
  return { tag, sha, ...(await findPrevious({ tag, sha, cwd, options }, commits)) };
}

async function findPrevious(
  { tag, sha, cwd, options }: Omit<Asked, "previous"> & { readonly sha: string },
  commits: ReadonlyMap<string, string>,
): Promise<Pick<ReleaseTags, "previous" | "notes">> {
  // A tag of the same commit is another name of this release, such as v1 beside v1.2.0.
  const others = [...commits].filter(([, commit]) => commit !== sha).map(([name]) => name);
  const whole = wholeName(
    tag,
    [...commits].filter(([, commit]) => commit === sha).map(([name]) => name),
  );
  if (whole !== undefined)
    throw new InputError(
      `${options.tag} ${tag}: is another name of ${whole}, which is the same commit: release that, or name the tag before it with ${options.previous}`,
    );
  const found = previousTag(others, tag);
  if (found.kind === "no-version")
    throw new InputError(
      `${options.tag} ${tag}: names no version, so that no tag comes before it by version; name it with ${options.previous}`,
    );
  const notes = ignoredNote(found.ignored);
  if (found.kind === "found")
    return { previous: { kind: "found", tag: found.tag, sha: commits.get(found.tag) ?? "" }, notes };
  const shallow = (await isShallow(cwd))
    ? ' The checkout is a shallow clone: give actions/checkout "fetch-depth: 0" to have all tags.'
    : "";
  const reason = `${tag} is the first release: no tag of this repository has an earlier version.${shallow}`;
  return { previous: { kind: "first", reason }, notes };
}

/** `v1.3.0` beside `v1` or `v1.3`, which move with every release. */
function wholeName(tag: string, names: readonly string[]): string | undefined {
  if (/\d+\.\d+\.\d+/.test(tag)) return undefined;
  return names.find((name) => name.startsWith(`${tag}.`));
}

function ignoredNote(ignored: readonly string[]): string[] {
  if (ignored.length === 0) return [];
  return [`Tags without a version were ignored: ${nameSome(ignored)}.`];
}

/** Commits by the names of their tags; tags of other objects are left out. */
async function readTags(cwd: string, option: string, tag: string): Promise<Map<string, string>> {
  const format = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)";
  const listing = await git(cwd, "for-each-ref", format, "refs/tags").catch((error: Error) => {
    throw new InputError(`${option} ${tag}: the tags cannot be read: ${error.message}`);
  });
  const tags = new Map<string, string>();
  for (const line of listing.split("\n")) {
    const [ref = "", type, sha = "", peeledType, peeled = ""] = line.split("\0");
    const commit = type === "commit" ? sha : peeledType === "commit" ? peeled : undefined;
    if (commit !== undefined && ref.startsWith("refs/tags/")) tags.set(ref.slice("refs/tags/".length), commit);
  }
  return tags;
}

async function whyNoTag(tag: string, cwd: string, known: readonly string[]): Promise<string> {
  if (await isShallow(cwd))
    return `there is no such tag in this shallow clone; give actions/checkout "fetch-depth: 0", or run git fetch --tags --unshallow${didYouMean(tag, known)}`;
  return `there is no such tag in this checkout${didYouMean(tag, known) || ";"} run git fetch --tags, or name a tag that exists`;
}

/**
 * The page and the notes say that they are about the tag: nothing else may be measured.
 * @throws InputError where the working tree is not the tag's commit
 */
export async function checkWorkingTree({ tag, sha }: ReleaseTags, cwd: string, options: TagOptions): Promise<void> {
  const head = await git(cwd, "rev-parse", "--verify", "HEAD");
  if (head !== sha)
    throw new InputError(
      `${options.tag} ${tag}: the checkout is at ${head}, not at ${tag} (${sha}); run ${shellLine(["git", "checkout", tag])}`,
    );
  if (await hasUncommittedChanges(cwd))
    throw new InputError(
      `${options.tag} ${tag}: the checkout has uncommitted changes, so that it is not ${tag}; commit them or set them aside`,
    );
}

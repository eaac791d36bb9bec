/** `--base REF|DIR` -> a folder with base's files. The user's checkout, index and branches stay as they are. */
import { realpathSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { InputError, messageOf } from "../../errors.js";
import { isWithin } from "../../is-within.js";
import { machineFault } from "../../messages/machine-fault.js";
import { didYouMean } from "../../plan/nearest.js";
import { checkOut, submodules } from "./checkout.js";
import { checkoutOf, git, hasUncommittedChanges, isShallow } from "./git.js";
import { ignoredInHeadOnly } from "./ignored-files.js";
import { haveSameFiles } from "./same-files.js";
import { shortRef } from "./short-ref.js";

interface Asked {
  /** The option and its value, for messages: `--base main`. */
  readonly asked: string;
  readonly given: string;
  /** What the user may not expect. */
  readonly notes: readonly string[];
}

/** What base is, before its files are checked out. */
export type BaseSource =
  | (Asked & {
      readonly kind: "folder";
      readonly folder: string;
      readonly sha?: string;
      readonly uncommitted: boolean;
    })
  | (Asked & {
      readonly kind: "commit";
      /** The name that was found: `origin/main` for `main` where there is no such branch. */
      readonly ref: string;
      readonly repository: string;
      readonly sha: string;
    });
type CommitSource = Extract<BaseSource, { readonly kind: "commit" }>;

export interface BaseSide {
  /** Base's counterpart of the folder that the run was started in. */
  readonly cwd: string;
  /** Base's counterpart of a path of head; a path outside of the checkout is the same for both. */
  readonly counterpart: (path: string) => string;
  /** Replaces the folder that base was checked out into by its commit: `main:bench/mine.yml`. */
  readonly withCommitNames: (message: string) => string;
  /**
   * Whether base's checkout holds the same files as head's. It is found out once. Without git on both sides this is
   * true: what an app loads from outside of its folder is then not known.
   */
  readonly hasSameFiles: () => Promise<boolean>;
  /** Files and folders of head that git ignores and base lacks. */
  readonly ignoredInHead: () => Promise<string[]>;
}

/**
 * What a base may be. In the action it is a commit: a pull request can add a folder, or a link, of any name. A path that
 * says that it is one (`./base`, `../base`, `/base`) is a folder everywhere: only the user can write it.
 */
export type BaseKind = "commit" | "folder-or-commit";

/**
 * Reads what `--base` names: a folder where it is written as a path, else a commit, else, where that is allowed, a folder
 * of that name. Nothing is fetched.
 * @param option how the user gave it
 * @throws InputError for what is none of them, and for submodules that are not checked out
 */
export async function findBase(given: string, cwd: string, kind: BaseKind, option = "--base"): Promise<BaseSource> {
  // What a person typed at a terminal is quoted in full. In a job the SHA mostly comes from the event, and stands in a comment.
  const asked = `${option} ${kind === "commit" ? shortRef(given) : given}`;
  const path = resolve(cwd, given);
  const found = await stat(path).catch(() => undefined);
  const folder = found?.isDirectory() ? path : undefined;
  if (isPath(given)) {
    if (folder !== undefined) return await folderBase(asked, given, folder);
    throw new InputError(
      `${asked}: ${found ? "is a file; give a folder or a git reference" : `there is no folder ${path}`}`,
    );
  }
  try {
    const source = await findCommit(asked, given, cwd);
    if (folder === undefined) return source;
    const note = `${asked}: is a git reference and a folder; base is the commit ${source.sha}; for the folder give ./${given}`;
    return { ...source, notes: [...source.notes, note] };
  } catch (error) {
    if (!(error instanceof NoCommit)) throw error;
    if (folder === undefined)
      throw new InputError(found ? `${asked}: is a file; give a folder or a git reference` : error.message);
    if (kind === "folder-or-commit") return await folderBase(asked, given, folder);
    throw new InputError(`${error.message}; a folder has this name: give ./${given} to compare with it`);
  }
}

/** A name is not that of a commit; it may be a folder's. */
class NoCommit extends InputError {}

/** `.`, `./base`, `../base`, `/base`: no git reference begins like that. */
function isPath(given: string): boolean {
  return isAbsolute(given) || /^\.\.?(\/|$)/.test(given);
}

/** @throws NoCommit where there is none; InputError for its submodules */
async function findCommit(asked: string, given: string, cwd: string): Promise<CommitSource> {
  const repository = await git(cwd, "rev-parse", "--show-toplevel").catch((error: Error) => {
    const why = /not a git repository/.test(error.message) ? `${cwd} is not in a git repository` : error.message;
    throw new NoCommit(`${asked}: neither a folder nor a commit: ${why}`);
  });
  const source = await commitBase(asked, given, repository);
  await checkSubmodules(source.asked, repository, source.sha);
  return source;
}

async function commitBase(asked: string, given: string, repository: string): Promise<CommitSource> {
  const common = { kind: "commit", asked, given, repository } as const;
  await checkIsOneCommit(asked, given, repository);
  const own = await commitOf(repository, given);
  if (own !== undefined) return { ...common, ref: given, sha: own, notes: [] };
  // A detached checkout, as actions/checkout makes it, knows branches as those of origin only.
  const ref = `origin/${given}`;
  const remote = await commitOf(repository, ref);
  if (remote === undefined) throw new NoCommit(`${asked}: ${await whyNoCommit(given, repository)}`);
  const note = `${asked}: there is no such branch here; base is ${ref} (${remote})`;
  return { ...common, ref, sha: remote, notes: [note] };
}

/** Of a branch and a tag of one name git takes the tag. @throws InputError where they are different commits */
async function checkIsOneCommit(asked: string, given: string, repository: string): Promise<void> {
  const shas = new Map<string, string>();
  const add = async (ref: string) => {
    const sha = await commitOf(repository, ref);
    if (sha !== undefined) shas.set(ref, sha);
  };
  for (const kind of ["heads", "tags", "remotes"]) await add(`refs/${kind}/${given}`);
  // Taken where there is no such branch here.
  if (!shas.has(`refs/heads/${given}`)) await add(`refs/remotes/origin/${given}`);
  if (new Set(shas.values()).size < 2) return;
  const found = [...shas].map(([ref, sha]) => `${ref} (${shortRef(sha)})`).join(" and ");
  throw new InputError(
    `${asked}: ${found} are different commits; give the one that you mean, as ${[...shas.keys()][0]}`,
  );
}

async function commitOf(repository: string, name: string): Promise<string | undefined> {
  return await git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`).catch(
    () => undefined,
  );
}

async function whyNoCommit(given: string, repository: string): Promise<string> {
  const names = await refNames(repository);
  const born = (await commitOf(repository, "HEAD")) !== undefined;
  if (!born && (names.length === 0 || /^(HEAD|@)/.test(given)))
    return `there is no commit in ${repository} yet: commit what is to be base, or give a folder`;
  if (await isShallow(repository))
    return `not in ${repository}, which is a shallow clone: its older commits and other branches were not fetched; give actions/checkout "fetch-depth: 0", or run git fetch --unshallow origin${didYouMean(given, names)}`;
  return `neither a folder nor a commit of ${repository}${didYouMean(given, names) || ";"} give a branch, a tag or a commit that was fetched`;
}

/** Branches and tags, those of origin without its name. */
async function refNames(repository: string): Promise<string[]> {
  const listing = await git(
    repository,
    "for-each-ref",
    "--format=%(refname)",
    "refs/heads",
    "refs/tags",
    "refs/remotes",
  );
  const names = listing.split("\n").map((name) => name.replace(/^refs\/(heads|tags|remotes\/origin|remotes)\//, ""));
  return [...new Set(names)].filter((name) => name !== "" && name !== "HEAD");
}

async function folderBase(asked: string, given: string, path: string): Promise<BaseSource> {
  const folder = await realpath(path);
  const common = { kind: "folder", asked, given, folder, notes: [] } as const;
  // A folder that git does not know, in a checkout of something else, is not of that commit.
  const tracked =
    (await git(folder, "rev-parse", "--verify", "--quiet", "HEAD:./").catch(() => undefined)) !== undefined;
  if (!tracked) return { ...common, uncommitted: false };
  await checkFolderSubmodules(asked, folder);
  const sha = await git(folder, "rev-parse", "--verify", "--quiet", "HEAD");
  return { ...common, sha, uncommitted: await hasUncommittedChanges(folder) };
}

/** The meaning of each letter of `git submodule status`. */
const SUBMODULE_STATES: Readonly<Record<string, string>> = {
  "-": "is not checked out; run git submodule update --init there",
  "+": "is at another commit than the checkout records; commit that, or run git submodule update there",
  U: "has merge conflicts; resolve them",
};

/** @throws InputError where a submodule is not what the checkout's commit says: the results could not name what base was */
async function checkFolderSubmodules(asked: string, folder: string): Promise<void> {
  const listing = await git(folder, "submodule", "status", "--recursive", "--", ".");
  for (const line of listing.split("\n")) {
    const [, letter = "", path = ""] = /^([-+U])[0-9a-f]+ (.+?)(?: \([^()]*\))?$/.exec(line) ?? [];
    const state = SUBMODULE_STATES[letter];
    if (state !== undefined) throw new InputError(`${asked}: its submodule ${path} ${state}`);
  }
  const changed = ["status", "--porcelain=v2", "--untracked-files=no", "--ignore-submodules=none", "--", "."];
  for (const line of (await git(folder, ...changed)).split("\n")) {
    // `1 XY S<commit><modified><untracked> ...`: a submodule with changes in its files.
    const [, path] = /^1 \S+ S.M. (?:\S+ ){5}(.+)$/.exec(line) ?? [];
    if (path !== undefined)
      throw new InputError(`${asked}: its submodule ${path} has uncommitted changes; commit them, or set them aside`);
  }
}

/** Base's submodules come from the user's: each must be checked out and have the commit that base records. */
async function checkSubmodules(asked: string, repository: string, sha: string): Promise<void> {
  for (const sub of await submodules(repository, sha)) {
    const folder = join(repository, sub.path);
    const top = await git(folder, "rev-parse", "--show-toplevel").catch(() => undefined);
    const has = top === folder && (await git(folder, "cat-file", "-e", `${sub.sha}^{commit}`).catch(() => "no")) === "";
    if (!has)
      throw new InputError(
        `${asked}: its submodule ${sub.path} is at commit ${sub.sha}, which is not in ${folder}; run git submodule update --init, and git fetch in it (in a workflow give actions/checkout "submodules: recursive" and "fetch-depth: 0")`,
      );
    await checkSubmodules(asked, folder, sub.sha);
  }
}

/**
 * Makes base's folder: a commit is checked out into `target`, in a repository that shares the user's objects; a folder
 * is taken as it is.
 * @param cwd the folder that the run was started in
 * @throws InputError where the commit has no such folder, or cannot be checked out; SetupError where the machine is the cause
 */
export async function makeBase(source: BaseSource, cwd: string, target: string): Promise<BaseSide> {
  const head = await realpath(cwd);
  if (source.kind === "folder")
    return {
      ...sideOf(head, source.folder, source.folder),
      withCommitNames: (message) => message,
      ...contentOfSides(checkoutOf(source.folder), checkoutOf(head)),
    };
  try {
    await checkOut(source.repository, source.sha, target);
  } catch (error) {
    // A machine that can start no further process says nothing about the commit.
    throw machineFault(error) ?? new InputError(`${source.asked}: cannot check out ${source.sha}: ${messageOf(error)}`);
  }
  const top = await realpath(source.repository);
  const inside = join(target, relative(top, head));
  if (!(await stat(inside).catch(() => undefined))?.isDirectory())
    throw new InputError(`${source.asked} has no folder ${relative(top, head)}, in which this run was started`);
  const ref = shortRef(source.ref);
  const withCommitNames = (message: string) => message.replaceAll(`${target}/`, `${ref}:`).replaceAll(target, ref);
  return { ...sideOf(top, target, inside), withCommitNames, ...contentOfSides(target, top) };
}

function contentOfSides(base: string | undefined, head: string | undefined) {
  const ignoredInHead = async () =>
    base === undefined || head === undefined || base === head ? [] : await ignoredInHeadOnly(base, head);
  return { hasSameFiles: sameFiles(base, head), ignoredInHead };
}

/** Two folders of one checkout are two sides of an app, and files beside them can differ. */
function sameFiles(base: string | undefined, head: string | undefined): BaseSide["hasSameFiles"] {
  const find = async () => {
    if (base === undefined || head === undefined) return base === head;
    return base !== head && (await haveSameFiles(base, head));
  };
  let found: Promise<boolean> | undefined;
  return () => {
    found ??= find();
    return found;
  };
}

function sideOf(head: string, base: string, cwd: string): Pick<BaseSide, "cwd" | "counterpart"> {
  const counterpart = (path: string) => {
    const real = realPath(path);
    return isWithin(head, real) ? join(base, relative(head, real)) : path;
  };
  return { cwd, counterpart };
}

/** Without symbolic links. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** How a comparison describes base. */
export function describeSource(source: BaseSource): Record<string, string> {
  // A commit that was given by its SHA needs no second name.
  if (source.kind === "commit")
    return { ...(!source.sha.startsWith(source.ref) && { ref: source.ref }), sha: source.sha };
  const { given, sha, uncommitted } = source;
  return { folder: given, ...(sha !== undefined && { sha }), ...(uncommitted && { uncommitted: "yes" }) };
}

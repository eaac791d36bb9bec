/** `--base REF|DIR` -> a folder with base's files. The user's checkout, index and branches stay as they are. */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { InputError } from "../errors.js";
import { git } from "./git.js";

/** What base is, before anything is made of it. */
export type BaseSource =
  | { readonly kind: "folder"; readonly given: string; readonly folder: string; readonly sha?: string }
  | { readonly kind: "commit"; readonly given: string; readonly repository: string; readonly sha: string };

interface BaseSide {
  /** What stands for the folder that the run was started in. */
  readonly cwd: string;
  /** Base's counterpart of a path of head; a path outside of the checkout is the same for both. */
  readonly counterpart: (path: string) => string;
}

/**
 * Reads what `--base` names: a folder where there is one of that name, else a commit.
 * @throws InputError for what is neither, and for submodules that are not checked out
 */
export async function findBase(given: string, cwd: string): Promise<BaseSource> {
  const folder = resolve(cwd, given);
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return await folderBase(given, await realpath(folder));
  if (found) throw new InputError(`--base ${given}: is a file; give a folder or a git reference`);
  const repository = await git(cwd, "rev-parse", "--show-toplevel").catch(() => {
    throw new InputError(`--base ${given}: there is no folder ${folder}, and ${cwd} is not in a git repository`);
  });
  const sha = await git(cwd, "rev-parse", "--verify", "--quiet", "--end-of-options", `${given}^{commit}`).catch(() => {
    throw new InputError(
      `--base ${given}: neither a folder nor a commit of ${repository}; give a branch, a tag or a commit that was fetched`,
    );
  });
  await checkSubmodules(given, repository, sha);
  return { kind: "commit", given, repository, sha };
}

async function folderBase(given: string, folder: string): Promise<BaseSource> {
  const top = await git(folder, "rev-parse", "--show-toplevel").catch(() => undefined);
  if (top === undefined) return { kind: "folder", given, folder };
  const missing = (await git(folder, "submodule", "status")).split("\n").filter((line) => line.startsWith("-"));
  const [first] = missing;
  if (first !== undefined)
    throw new InputError(
      `--base ${given}: the submodule ${first.split(" ")[1] ?? ""} is not checked out; run git submodule update --init there`,
    );
  const sha = await git(folder, "rev-parse", "--verify", "--quiet", "HEAD").catch(() => undefined);
  return { kind: "folder", given, folder, ...(sha !== undefined && { sha }) };
}

/** Path and commit of each submodule of a commit. */
async function submodules(repository: string, sha: string): Promise<{ path: string; sha: string }[]> {
  const listing = await git(repository, "ls-tree", "-r", "-z", "--full-tree", sha);
  return listing.split("\0").flatMap((entry) => {
    const [, commit, path] = /^160000 commit ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
    return commit === undefined || path === undefined ? [] : [{ path, sha: commit }];
  });
}

/** Base takes its submodules from the user's: each must be there, with the commit that base wants. */
async function checkSubmodules(given: string, repository: string, sha: string): Promise<void> {
  for (const sub of await submodules(repository, sha)) {
    const folder = join(repository, sub.path);
    const top = await git(folder, "rev-parse", "--show-toplevel").catch(() => undefined);
    const has = top === folder && (await git(folder, "cat-file", "-e", `${sub.sha}^{commit}`).catch(() => "no")) === "";
    if (!has)
      throw new InputError(
        `--base ${given}: its submodule ${sub.path} is at commit ${sub.sha}, which is not in ${folder}; run git submodule update --init, and git fetch in it`,
      );
    await checkSubmodules(given, folder, sub.sha);
  }
}

/**
 * Makes base's folder: a commit is checked out into `target`, a clone that shares the user's objects; a folder is taken
 * as it is.
 * @param cwd the folder that the run was started in
 * @throws InputError where the commit has no such folder, or cannot be checked out
 */
export async function makeBase(source: BaseSource, cwd: string, target: string): Promise<BaseSide> {
  const head = await realpath(cwd);
  if (source.kind === "folder") return sideOf(head, source.folder, source.folder);
  try {
    await checkOut(source.repository, source.sha, target);
  } catch (error) {
    throw new InputError(`--base ${source.given}: cannot check out ${source.sha}: ${(error as Error).message}`);
  }
  const top = await realpath(source.repository);
  const inside = join(target, relative(top, head));
  if (!(await stat(inside).catch(() => undefined))?.isDirectory())
    throw new InputError(`--base ${source.given}: has no folder ${relative(top, head)}, in which this run was started`);
  return sideOf(top, target, inside);
}

function sideOf(head: string, base: string, cwd: string): BaseSide {
  const counterpart = (path: string) => {
    const within = relative(head, path);
    return within.startsWith("..") || isAbsolute(within) ? path : join(base, within);
  };
  return { cwd, counterpart };
}

async function checkOut(repository: string, sha: string, target: string): Promise<void> {
  await git(repository, "clone", "--quiet", "--shared", "--no-checkout", "--", repository, target);
  await git(target, "checkout", "--quiet", "--detach", sha);
  for (const sub of await submodules(target, sha)) {
    await checkOut(join(repository, sub.path), sub.sha, join(target, sub.path));
  }
}

/** What a comparison says of base. */
export function describeSource(source: BaseSource): Record<string, string> {
  return {
    [source.kind === "commit" ? "ref" : "folder"]: source.given,
    ...(source.sha !== undefined && { sha: source.sha }),
  };
}

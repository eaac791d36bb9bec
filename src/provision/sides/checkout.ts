/** Checks out a commit's files into another folder: a repository that shares the user's objects and does not change them. */
import { copyFile, mkdir, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { applyFilters, POINTERS_ONLY, takeLfsAsCommitted } from "./filters.js";
import { git, gitWith } from "./git.js";

/** Path and commit of each submodule of a commit. */
export async function submodules(repository: string, sha: string): Promise<{ path: string; sha: string }[]> {
  const listing = await git(repository, "ls-tree", "-r", "-z", "--full-tree", sha);
  return listing.split("\0").flatMap((entry) => {
    const [, commit, path] = /^160000 commit ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
    return commit === undefined || path === undefined ? [] : [{ path, sha: commit }];
  });
}

/**
 * Checks a commit out into `target`, with its submodules from those of the user.
 * @throws Error with git's message
 */
export async function checkOut(repository: string, sha: string, target: string): Promise<void> {
  await borrow(repository, target);
  await takeCheckoutSettings(repository, target);
  await git(target, ...POINTERS_ONLY, "checkout", "--quiet", "--detach", sha);
  await checkIsWhole(target);
  await applyFilters(repository, sha, target);
  for (const sub of await submodules(target, sha)) {
    await checkOut(join(repository, sub.path), sub.sha, join(target, sub.path));
  }
}

/** What a clone's own configuration says about the files of a checkout: line ends, and the part that is checked out. */
const CHECKOUT_SETTINGS = "^core\\.(autocrlf|eol|symlinks|sparsecheckout|sparsecheckoutcone)$";

/** Head's files were checked out with these settings, so base's are, too. */
async function takeCheckoutSettings(repository: string, target: string): Promise<void> {
  const listing = await git(repository, "config", "-z", "--get-regexp", CHECKOUT_SETTINGS).catch(() => "");
  for (const setting of listing.split("\0").filter((one) => one !== "")) {
    const [name = "", value = "true"] = setting.split("\n");
    await git(target, "config", name, value);
  }
  const patterns = resolve(repository, await git(repository, "rev-parse", "--git-path", "info/sparse-checkout"));
  if ((await stat(patterns).catch(() => undefined)) === undefined) return;
  await mkdir(join(target, ".git/info"), { recursive: true });
  await copyFile(patterns, join(target, ".git/info/sparse-checkout"));
}

/** git ends well although a partial clone lacks the content of files. @throws Error */
async function checkIsWhole(target: string): Promise<void> {
  const [first, ...others] = (await git(target, "ls-files", "--deleted", "-z"))
    .split("\0")
    .filter((name) => name !== "");
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new Error(
    `the clone is a partial one and lacks the content of ${first}${more}; give actions/checkout neither "filter" nor "sparse-checkout", or run git fetch --refetch in the clone`,
  );
}

/** A repository at the commit and with the index of another one, and without files. */
export async function borrowIndex(repository: string, target: string): Promise<void> {
  await borrow(repository, target);
  const head = await git(repository, "rev-parse", "--verify", "--quiet", "HEAD").catch(() => undefined);
  if (head !== undefined) await git(target, "update-ref", "--no-deref", "HEAD", head);
  const index = await gitWith({ cwd: repository, encoding: "latin1" }, "ls-files", "--stage", "-z");
  await gitWith({ cwd: target, encoding: "latin1", input: index }, "update-index", "-z", "--index-info");
  await takeLfsAsCommitted(repository, target);
}

/**
 * A repository that reads the objects of another one. `git clone --shared` copies from a shallow one only what
 * branches and tags reach, and not a commit that was fetched by its SHA.
 */
async function borrow(repository: string, target: string): Promise<void> {
  const inRepository = async (name: string) =>
    resolve(repository, await git(repository, "rev-parse", "--git-path", name));
  const format = await git(repository, "rev-parse", "--show-object-format");
  await git(repository, "init", "--quiet", "--template=", `--object-format=${format}`, "--", target);
  await mkdir(join(target, ".git/objects/info"), { recursive: true });
  await writeFile(join(target, ".git/objects/info/alternates"), `${await inRepository("objects")}\n`);
  const shallow = await inRepository("shallow");
  if (await stat(shallow).catch(() => undefined)) await copyFile(shallow, join(target, ".git/shallow"));
  // Builds that derive a version from tags get the same one as in a clone.
  const tags = await git(repository, "for-each-ref", "--format=create %(refname) %(objectname)", "refs/tags");
  if (tags !== "") await gitWith({ cwd: target, input: `${tags}\n` }, "update-ref", "--stdin").catch(() => undefined);
}

/** What an app's own files say now: its environment is made anew when they change, and shared where they are equal. */
import { createHash, type Hash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { AppInstall } from "../../plan/types.js";
import { gitOfProject } from "./project-git.js";
import { readRequirements } from "./requirements-file.js";
import { treeDigest } from "./source-digest.js";

export interface AppDigest {
  /** Hexadecimal SHA-256 over all files that are read; equal for equal files in another folder. */
  readonly digest: string;
  /** Something is installed editable: the environment holds the path of the checkout. */
  readonly boundToFolder: boolean;
  /** Something is built from a folder or a file of this machine. */
  readonly local: boolean;
  /** Requirements from git, which the files name by a branch, a tag or a commit. */
  readonly git: readonly string[];
}

/** @throws the file system's error for a file that is not there */
export async function appDigest(install: AppInstall): Promise<AppDigest> {
  const { requirements, lock, project, extras, groups, editable, folder } = install;
  const hash = createHash("sha256");
  add(hash, "options", JSON.stringify([extras, groups, editable]));
  let boundToFolder = editable;
  let isLocal = project !== undefined;
  const git: string[] = [];
  for (const { path } of requirements) {
    for (const file of await readRequirements(path, folder)) {
      add(hash, basename(file.path), file.text);
      for (const local of file.local) add(hash, "local", await localDigest(local));
      boundToFolder ||= file.editable;
      isLocal ||= file.local.length > 0;
      git.push(...file.git);
    }
  }
  if (lock !== undefined) {
    const local = await addLock(hash, lock.path);
    isLocal ||= local;
  }
  if (project !== undefined) {
    add(hash, "project", await treeDigest(project.path));
    // A lock names commits.
    if (lock === undefined) git.push(...(await gitOfProject(project.path, install)));
  }
  return { digest: hash.digest("hex"), boundToFolder, local: isLocal, git };
}

/** The same, without what is bound to a folder: for the question whether both sides install the same. */
export async function contentOf(install: AppInstall | undefined): Promise<string> {
  return install === undefined ? "" : (await appDigest(install)).digest;
}

/** The source of a package in poetry.lock that is a folder or a file. */
const POETRY_LOCAL = /^type = "(?:directory|file)"\nurl = "([^"]+)"$/gm;

/** @returns whether the lock has something installed from a folder or a file; the project of a uv.lock is left out then */
async function addLock(hash: Hash, path: string): Promise<boolean> {
  const folder = dirname(path);
  const isUvLock = basename(path) === "uv.lock";
  const text = await readFile(path, "utf8");
  add(hash, basename(path), text);
  // Groups and the check for a stale lock are read from there.
  add(hash, "pyproject.toml", await readFile(join(folder, "pyproject.toml"), "utf8").catch(() => ""));
  const local = [...text.matchAll(/\b(?:editable|directory|virtual|path) = "([^"]+)"/g)].flatMap(([, found]) =>
    found === undefined || (found === "." && isUvLock) || /^\w+:\/\//.test(found) ? [] : [found],
  );
  local.push(...[...text.matchAll(POETRY_LOCAL)].flatMap(([, found]) => found ?? []));
  for (const found of local) add(hash, "local", await localDigest(resolve(folder, found)));
  return local.length > 0;
}

/** A folder's sources, or a file's bytes. */
async function localDigest(path: string): Promise<string> {
  if ((await stat(path)).isDirectory()) return await treeDigest(path);
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

function add(hash: Hash, name: string, content: string): void {
  hash.update(`${name}\0${content.length}\0`).update(content);
}

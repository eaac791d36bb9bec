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
  /** Folders and files of this machine that something is built from. */
  readonly local: readonly string[];
  /** Requirements from git, which the files name by a branch, a tag or a commit. */
  readonly git: readonly string[];
}

/**
 * @param scenarios the folder of the user's scenario files, where a build need not see it
 * @throws the file system's error for a file that is not there
 */
export async function appDigest(install: AppInstall, scenarios?: string): Promise<AppDigest> {
  const { requirements, lock, project, extras, groups, editable, folder } = install;
  const hash = createHash("sha256");
  add(hash, "options", JSON.stringify([extras, groups, editable]));
  let boundToFolder = editable;
  const locals = project === undefined ? [] : [project.path];
  const git: string[] = [];
  for (const { path } of requirements) {
    for (const file of await readRequirements(path, folder)) {
      add(hash, basename(file.path), file.text);
      for (const local of file.local) add(hash, "local", await localDigest(local, scenarios));
      boundToFolder ||= file.editable;
      locals.push(...file.local);
      git.push(...file.git);
    }
  }
  if (lock !== undefined) locals.push(...(await addLock(hash, lock.path, scenarios)));
  if (project !== undefined) {
    add(hash, "project", await treeDigest(project.path, scenarios));
    // A lock names commits.
    if (lock === undefined) git.push(...(await gitOfProject(project.path, install)));
  }
  return { digest: hash.digest("hex"), boundToFolder, local: locals, git };
}

/** The same, without what is bound to a folder: for the question whether both sides install the same. */
export async function contentOf(install: AppInstall | undefined): Promise<string> {
  return install === undefined ? "" : (await appDigest(install)).digest;
}

/** The source of a package in poetry.lock that is a folder or a file. */
const POETRY_LOCAL = /^type = "(?:directory|file)"\nurl = "([^"]+)"$/gm;

/** @returns the folders and files that the lock installs; the project of a uv.lock is left out */
async function addLock(hash: Hash, path: string, scenarios: string | undefined): Promise<string[]> {
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
  const paths = local.map((found) => resolve(folder, found));
  for (const found of paths) add(hash, "local", await localDigest(found, scenarios));
  return paths;
}

/** A folder's sources, or a file's bytes. */
async function localDigest(path: string, scenarios: string | undefined): Promise<string> {
  if ((await stat(path)).isDirectory()) return await treeDigest(path, scenarios);
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

function add(hash: Hash, name: string, content: string): void {
  hash.update(`${name}\0${content.length}\0`).update(content);
}

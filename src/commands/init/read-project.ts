/** The files of a project that detection reads. Links are not followed. */
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { InputError, messageOf } from "../../errors.js";
import type { ProjectFiles } from "../../init/project.js";

/** Names of files. */
const WANTED = [
  /\.(py|sh)$/,
  /^(pyproject|pylock)\.toml$/,
  /^(uv|poetry|pdm)\.lock$/,
  /^setup\.cfg$/,
  /requirements[^/]*\.(txt|lock)$/,
  /^Pipfile(\.lock)?$/,
  /^(Procfile|\.python-version|runtime\.txt)$/,
  /^(Docker|Container)file[^/]*$/,
  /^(docker-)?compose[^/]*\.ya?ml$/,
  /^uwsgi[^/]*\.ini$/,
  /^(Makefile|makefile|GNUmakefile|\.?[Jj]ustfile)$/,
];
const REQUIREMENTS_FOLDER = /(^|\/)requirements\/[^/]+\.txt$/;
const SKIPPED = new Set([
  "node_modules",
  "__pycache__",
  "site-packages",
  "venv",
  "env",
  "build",
  "dist",
  "server-bench-results",
]);
const DEPTH = 6;
const FILES_MAX = 5000;
const BYTES_MAX = 2 * 1024 * 1024;

/** @throws InputError where there is no such folder, or it cannot be read */
export async function readProject(folder: string): Promise<ProjectFiles> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new InputError(`${folder}: no such folder`);
  if (!found.isDirectory()) throw new InputError(`${folder}: is a file; give the project's folder`);
  const files = new Map<string, string>();
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new InputError(`${folder}: cannot be read: ${messageOf(error)}`);
  });
  await addAll(folder, folder, entries, 0, files);
  return files;
}

async function addAll(
  root: string,
  folder: string,
  entries: readonly Dirent[],
  depth: number,
  files: Map<string, string>,
): Promise<void> {
  for (const entry of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (files.size >= FILES_MAX) return;
    const path = join(folder, entry.name);
    const name = relative(root, path);
    if (entry.isFile() && isWanted(name)) await add(path, name, files);
    if (entry.isDirectory() && depth < DEPTH && !entry.name.startsWith(".") && !SKIPPED.has(entry.name))
      await addAll(root, path, await entriesOf(path), depth + 1, files);
  }
}

function isWanted(name: string): boolean {
  return WANTED.some((pattern) => pattern.test(basename(name))) || REQUIREMENTS_FOLDER.test(name);
}

/** None of a folder that cannot be read: a database's data often belongs to another user. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** Leaves out what cannot be read. */
async function add(path: string, name: string, files: Map<string, string>): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: Number.POSITIVE_INFINITY }));
  if (size > BYTES_MAX) return;
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text !== undefined) files.set(name, text);
}

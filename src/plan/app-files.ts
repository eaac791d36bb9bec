/** Whether the files that an app's `install` names are there. */
import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { InputError } from "../errors.js";
import type { AppInstall, NamedPath, PlannedRow } from "./types.js";

/** @throws InputError for the first row whose app names a file that is not there */
export function checkAppFiles(rows: readonly PlannedRow[]): void {
  for (const { environment } of rows) {
    const problem = environment.install && missingFile(environment.install);
    if (problem !== undefined) throw new InputError(problem);
  }
}

/** `servers.yml:4: apps.shop.install.lock: there is no file /shop/uv.lock; ...`; undefined where all files are there. */
export function missingFile({ requirements, lock, project }: AppInstall): string | undefined {
  for (const file of requirements) {
    if (!isFile(file.path)) return missing(file, "file", "paths are relative to the app's folder");
  }
  return lockProblem(lock) ?? projectProblem(project);
}

/** Locks that belong to a pyproject.toml. */
const LOCK_COMMANDS: Readonly<Record<string, string>> = { "uv.lock": "uv lock", "poetry.lock": "poetry lock" };

function lockProblem(lock: NamedPath | undefined): string | undefined {
  if (lock === undefined) return undefined;
  const name = basename(lock.path);
  const command = LOCK_COMMANDS[name];
  if (!isFile(lock.path))
    return missing(lock, "file", `\`${command ?? "uv export -o pylock.toml"}\` makes it; commit it`);
  const pyproject = join(dirname(lock.path), "pyproject.toml");
  if (command === undefined || isFile(pyproject)) return undefined;
  return `${lock.at}: a ${name} belongs to a pyproject.toml, and there is no ${pyproject}`;
}

function projectProblem(project: NamedPath | undefined): string | undefined {
  if (project === undefined) return undefined;
  if (isFile(join(project.path, "pyproject.toml")) || isFile(join(project.path, "setup.py"))) return undefined;
  const found = statSync(project.path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return missing(project, "folder", "paths are relative to the app's folder");
  return `${project.at}: ${project.path} has no pyproject.toml and no setup.py: it is no project that can be installed`;
}

function missing({ path, at }: NamedPath, kind: "file" | "folder", remedy: string): string {
  return `${at}: there is no ${kind} ${path}; ${remedy}`;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

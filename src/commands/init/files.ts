/** The files that `init` writes, and what is there already. */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { InputError } from "../../errors.js";

export const SCENARIOS_FOLDER = "benchmarks";

/** @throws InputError that names the files that are there */
export async function checkUnwritten(project: string, files: readonly string[]): Promise<void> {
  const present: string[] = [];
  for (const file of files) if (await stat(join(project, file)).catch(() => undefined)) present.push(file);
  if (present.length > 0)
    throw new InputError(
      `${present.join(", ")}: there already; --force replaces ${present.length === 1 ? "it" : "them"}`,
    );
}

export async function writeAll(project: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, text] of files) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), text);
  }
}

export function exampleWorkflow(root: string): Promise<string> {
  return readFile(join(root, "examples/app.yml"), "utf8");
}

/** As it is typed in `cwd`. */
export function typedPath(cwd: string, path: string): string {
  return relative(cwd, path) || ".";
}

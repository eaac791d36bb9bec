/** The files that `init` writes, and what is there already. */
import { lstat, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { InputError } from "../../errors.js";
import { parseSetFile } from "../../plan/files.js";
import { replaceFile } from "../../replace-file.js";

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

/** @throws InputError for a link in the project or the repository that a file would be written through */
async function checkLinks(project: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const parts = file.split("/");
    for (const path of parts.map((_, index) => parts.slice(0, index + 1).join("/"))) {
      const found = await lstat(join(project, path)).catch(() => undefined);
      if (found?.isSymbolicLink() && !path.endsWith(".."))
        throw new InputError(
          `${path}: is a link, and init writes nothing through links: replace it by what it leads to`,
        );
    }
  }
}

/** @throws InputError for what is in the way of the folder of scenario files, or in it and no set */
export async function checkFolder(project: string, written: readonly string[]): Promise<void> {
  await checkLinks(project, written);
  const folder = join(project, SCENARIOS_FOLDER);
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory())
    throw new InputError(`${SCENARIOS_FOLDER}: is a file, and init writes a folder of that name: rename the file`);
  for (const name of await readdir(folder)) {
    const file = `${SCENARIOS_FOLDER}/${name}`;
    if (/\.ya?ml$/.test(name) && !written.includes(file) && !(await isSet(join(project, file))))
      throw new InputError(
        `${file}: is no set of server-bench, which reads every YAML file of that folder: move it into a folder below, such as ${SCENARIOS_FOLDER}/other`,
      );
  }
}

async function isSet(path: string): Promise<boolean> {
  try {
    parseSetFile(await readFile(path, "utf8"), path);
    return true;
  } catch {
    return false;
  }
}

export async function writeAll(project: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, text] of files) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await replaceFile(join(project, file), text);
  }
}

export function exampleWorkflow(root: string): Promise<string> {
  return readFile(join(root, "examples/app.yml"), "utf8");
}

/** As it is typed in `cwd`. */
export function typedPath(cwd: string, path: string): string {
  return relative(cwd, path) || ".";
}

/** A pyproject.toml with Poetry's own list of requirements -> a requirements file. uv reads that of the standard alone. */
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { poetryRequirements } from "../../plan/poetry-requirements.js";
import { parseToml, type Table, tableAt } from "../../plan/toml.js";
import type { AppInstall } from "../../plan/types.js";
import type { UvRun } from "./uv-run.js";

/**
 * The same, with files that uv reads.
 * @throws InputError for a pyproject.toml that is no TOML
 */
export async function withoutPoetryLists(run: UvRun, install: AppInstall): Promise<AppInstall> {
  const requirements = await Promise.all(
    install.requirements.map(async (one) => ({ ...one, path: await readableFile(run, one.path) })),
  );
  return { ...install, requirements };
}

async function readableFile({ context, target }: UvRun, path: string): Promise<string> {
  if (basename(path) !== "pyproject.toml") return path;
  const pyproject = parseToml(path, await readFile(path, "utf8"));
  if (!hasPoetryList(pyproject)) return path;
  const folder = pathToFileURL(`${dirname(path)}/`);
  const lines = poetryRequirements(pyproject, { python: target.python.version, folder });
  const output = join(context.run.tempDir, `${basename(target.folder)}-poetry.txt`);
  await writeFile(output, lines.map(({ text }) => `${text}\n`).join(""));
  return output;
}

function hasPoetryList(pyproject: Table): boolean {
  const isStandard = Array.isArray(tableAt(pyproject, "project").dependencies);
  return !isStandard && Object.keys(tableAt(pyproject, "tool", "poetry", "dependencies")).length > 0;
}

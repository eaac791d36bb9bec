/** What a project without a lock takes from git. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../errors.js";
import { isTable, parseToml, type Table, tableAt, textsIn } from "../../plan/toml.js";
import type { AppInstall } from "../../plan/types.js";
import { requirementFromGit } from "./requirements-file.js";

/** Requirements of pyproject.toml that are installed, and uv's sources: `lib @ git+https://host/lib.git@main`. */
export async function gitOfProject(
  folder: string,
  { extras, groups }: Pick<AppInstall, "extras" | "groups">,
): Promise<string[]> {
  const table = await readProject(join(folder, "pyproject.toml"));
  const [optional, grouped] = [tableAt(table, "project", "optional-dependencies"), tableAt(table, "dependency-groups")];
  const texts = [
    ...textsIn(tableAt(table, "project").dependencies),
    ...extras.flatMap((extra) => textsIn(optional[extra])),
    ...groups.flatMap((group) => textsIn(grouped[group])),
  ];
  const sources = Object.entries(tableAt(table, "tool", "uv", "sources")).flatMap(([name, source]) => {
    const { git, rev, tag, branch } = isTable(source) ? source : {};
    const reference = rev ?? tag ?? branch;
    return typeof git === "string"
      ? [`${name} @ git+${git}${reference === undefined ? "" : `@${String(reference)}`}`]
      : [];
  });
  return [...texts.flatMap((text) => requirementFromGit(text) ?? []), ...sources];
}

/** Empty where there is none that can be read: its installation says so. */
async function readProject(file: string): Promise<Table> {
  const text = await readFile(file, "utf8").catch(() => "");
  try {
    return parseToml(file, text);
  } catch (error) {
    if (error instanceof InputError) return {};
    throw error;
  }
}

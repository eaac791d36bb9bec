/** The name of the distribution that a folder is the project of. */
import { parseToml, tableAt } from "./toml.js";

export interface ProjectTexts {
  readonly pyproject?: string | undefined;
  readonly setupCfg?: string | undefined;
}

/** As it is written; undefined where neither file names one. @throws InputError for a pyproject.toml that is no TOML */
export function projectName({ pyproject = "", setupCfg = "" }: ProjectTexts): string | undefined {
  const table = parseToml("pyproject.toml", pyproject);
  const named = tableAt(table, "project").name ?? tableAt(table, "tool", "poetry").name;
  if (typeof named === "string" && named !== "") return named;
  const metadata = /^\[metadata\]\s*\n((?:(?!\[).*(?:\n|$))*)/m.exec(setupCfg)?.[1] ?? "";
  return /^name\s*=\s*([\w.-]+)/m.exec(metadata)?.[1];
}

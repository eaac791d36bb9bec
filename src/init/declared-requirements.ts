/** What pyproject.toml and setup.cfg say that a project requires. */
import { poetryRequirements } from "../plan/poetry-requirements.js";
import { withoutComment } from "../plan/text-places.js";
import { placeOfText, type Table, tableAt, textsIn } from "../plan/toml.js";
import type { ProjectFiles } from "./project.js";
import { type Requirement, requirementOf } from "./requirements-file.js";

export function declaredRequirements(files: ProjectFiles, pyproject: Table): Requirement[] {
  const text = files.get("pyproject.toml") ?? "";
  const at = (wanted: string) => placeOfText("pyproject.toml", text, wanted);
  const standard = textsIn(tableAt(pyproject, "project").dependencies);
  return [
    ...standard.flatMap((one) => requirementOf(one, at(one)) ?? []),
    ...poetryRequirements(pyproject).flatMap((one) => requirementOf(one.text, at(`${one.name} =`)) ?? []),
    ...setupCfgRequirements(files),
  ];
}

function setupCfgRequirements(files: ProjectFiles): Requirement[] {
  const text = files.get("setup.cfg") ?? "";
  const block = /^install_requires[ \t]*=(.*\n(?:[ \t].*(?:\n|$)|\n)*)/m.exec(text)?.[1] ?? "";
  const lines = block.split("\n").map((line) => withoutComment(line));
  return lines.flatMap((line) => requirementOf(line, placeOfText("setup.cfg", text, line)) ?? []);
}

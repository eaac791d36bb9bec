/** pip's requirements files. */
import { distributionOf } from "../plan/requirements.js";
import { continuedLines, withoutComment } from "../plan/text-places.js";
import { folderOf, joined, type ProjectFiles } from "./project.js";

export interface Requirement {
  /** In lower case, with dashes. */
  readonly name: string;
  /** As it is written: `uvicorn[standard]>=0.30`. */
  readonly text: string;
  readonly at: string;
}

export function requirementOf(text: string, at: string): Requirement | undefined {
  const name = /^\s*([A-Za-z0-9][\w.-]*)/.exec(text)?.[1];
  return name === undefined ? undefined : { name: distributionOf(name), text: text.trim(), at };
}

/** The requirements of a file and of those that it includes with `-r`, each file once. */
export function readRequirements(files: ProjectFiles, file: string, seen = new Set<string>()): Requirement[] {
  const text = files.get(file);
  if (text === undefined || seen.has(file)) return [];
  seen.add(file);
  // A backslash continues a line, as before hashes.
  return continuedLines(file, text).flatMap(({ value, at }) => {
    const line = withoutComment(value);
    const included = /^(?:-r|--requirement)[ =]\s*(\S+)/.exec(line)?.[1];
    if (included !== undefined) return readRequirements(files, within(folderOf(file), included), seen);
    if (line === "" || line.startsWith("-")) return [];
    return requirementOf(line.replace(/\s--hash=\S+/g, ""), at) ?? [];
  });
}

/** `requirements` and `../base.txt` -> `base.txt` */
function within(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of joined(folder, path).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

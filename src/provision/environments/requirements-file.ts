/** What a pip requirements file refers to: other files, and local projects. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { withoutComment } from "../../plan/text-places.js";

export interface RequirementsFile {
  readonly path: string;
  readonly text: string;
  /** Lines have hashes: then pip and uv demand one of every distribution. */
  readonly hashed: boolean;
  /** Folders and files of local requirements. */
  readonly local: readonly string[];
  /** A local requirement is installed editable: the environment then holds its path. */
  readonly editable: boolean;
  /** Requirements from git: `lib @ git+https://host/lib.git@main`. */
  readonly git: readonly string[];
}

/**
 * The file, and the requirements and constraints files that it includes, each once.
 * @param folder where relative paths of requirements begin; those of included files begin at the file
 * @throws the file system's error for a file that is not there
 */
export async function readRequirements(path: string, folder: string): Promise<readonly RequirementsFile[]> {
  const files = new Map<string, RequirementsFile>();
  const read = async (file: string): Promise<void> => {
    if (files.has(file)) return;
    const text = await readFile(file, "utf8");
    const lines = logicalLines(text);
    files.set(file, {
      path: file,
      text,
      hashed: lines.some((line) => /\s--hash[= ]/.test(line)),
      local: lines.flatMap((line) => localPath(line, folder) ?? []),
      editable: lines.some((line) => EDITABLE.test(line)),
      git: lines.flatMap((line) => requirementFromGit(line) ?? []),
    });
    for (const line of lines) {
      const included = /^(?:-r|-c|--requirement|--constraint)[= ]?\s*(\S+)/.exec(line)?.[1];
      if (included !== undefined && !/^\w+:\/\//.test(included)) await read(resolve(dirname(file), included));
    }
  };
  await read(path);
  return [...files.values()];
}

const EDITABLE = /^(?:-e|--editable)[= ]?\s*/;

/** `lib @ git+https://host/lib.git@main`, also of a line without a name or without blanks; undefined: it is not from git. */
export function requirementFromGit(line: string): string | undefined {
  const [, name, url] = /^(?:([^@\s]+)\s*@\s*)?(git\+\S.*)$/.exec(line.replace(EDITABLE, "")) ?? [];
  return url === undefined ? undefined : `${name ?? "lib"} @ ${url}`;
}

/** Without comments, and with continued lines joined. */
function logicalLines(text: string): string[] {
  return text
    .replaceAll(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map(withoutComment)
    .filter((line) => line !== "");
}

/** Of `-e .`, `./lib[extra]`, `lib @ file:///src/lib`; undefined for what comes from an index or the network. */
function localPath(line: string, folder: string): string | undefined {
  const target = line.replace(EDITABLE, "").replace(/^[\w.-]+(?:\[[^\]]*\])?\s*@\s*(?=file:)/, "");
  const url = /^file:\S+/.exec(target)?.[0];
  if (url !== undefined)
    return fileURLToPath(url.startsWith("file://") ? url : `file://${resolve(folder, url.slice(5))}`);
  const path =
    /^(?:\.{1,2}(?:\/|$|\[)|\/)[^\s;[]*/.exec(target)?.[0] ??
    (EDITABLE.test(line) && !/:\/\//.test(target) ? /^[^\s;[]+/.exec(target)?.[0] : undefined);
  return path === undefined ? undefined : resolve(folder, path);
}

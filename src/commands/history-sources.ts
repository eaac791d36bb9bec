/** The files of `history`: reads each, keeps what a history needs of it, and forgets the rest. */
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { codeOf, InputError } from "../errors.js";
import type { LeftOut } from "../history/choose.js";
import { Recorder, type RunRecord } from "../history/record.js";
import { readResults } from "../results/read.js";
import { RESULTS_FILE } from "./output-folder.js";

const GIVE = "give results files, or a folder of them";

interface Sources {
  readonly runs: readonly RunRecord[];
  /** Files of a folder that are no results files. */
  readonly unreadable: readonly LeftOut[];
}

/**
 * A file must be a results file. In a folder, which others may write to, a file that is none is left out with the reason.
 * @param given files and folders; of a folder every *.json in it, and the results.json of every folder in it
 * @throws InputError for a file that cannot be read, is cut off, of another version, or wrong in a field; for a folder without files
 */
export async function readSources(given: readonly string[], cwd: string): Promise<Sources> {
  const recorder = new Recorder();
  const runs: RunRecord[] = [];
  const unreadable: LeftOut[] = [];
  for (const source of given) {
    const folder = await isFolder(source, cwd);
    for (const file of folder ? await filesIn(source, cwd) : [source]) {
      try {
        runs.push(recorder.record(file, await readResults(resolve(cwd, file))));
      } catch (error) {
        if (!folder || !(error instanceof InputError)) throw error;
        unreadable.push({ source: file, reason: withoutPath(error.message, resolve(cwd, file)) });
      }
    }
  }
  return { runs, unreadable };
}

/** @throws InputError where there is neither a file nor a folder; reading says what else is wrong with a file */
async function isFolder(source: string, cwd: string): Promise<boolean> {
  try {
    return (await stat(resolve(cwd, source))).isDirectory();
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw new InputError(`${source}: no such file or folder; ${GIVE}`);
    return false;
  }
}

/** A run writes a folder, and an artifact is downloaded as one: these are looked into, not the folders below them. */
async function filesIn(folder: string, cwd: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of (await readdir(resolve(cwd, folder))).sort()) {
    const inFolder = join(name, RESULTS_FILE);
    if (name.endsWith(".json")) names.push(name);
    else if (existsSync(resolve(cwd, folder, inFolder))) names.push(inFolder);
  }
  if (names.length === 0)
    throw new InputError(`${folder}: has no *.json file, and no folder with a ${RESULTS_FILE}; ${GIVE}`);
  return names.map((name) => join(folder, name));
}

/** The list names the file in front of the reason. */
function withoutPath(message: string, path: string): string {
  return message.replaceAll(`${path}: `, "");
}

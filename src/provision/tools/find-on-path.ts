/** Finds programs as a shell would, in the PATH that the children get. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Absolute path of the first program of that name; undefined when there is none. */
export async function findOnPath(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    // A relative folder in PATH means whatever the working directory holds: a checkout, perhaps.
    if (!isAbsolute(folder)) continue;
    const path = join(folder, program);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

/** Whether it is a file that we may execute. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Pythons that are not on PATH: those of the runner's tool cache, where setup-python puts them, and pyenv's. uv finds neither. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { homeFolder } from "../../surroundings.js";
import { isProgram } from "./find-on-path.js";
import { isAtLeast } from "./version.js";

/** A folder of Pythons by version, and the folder between a version and its bin/. */
interface VersionFolder {
  readonly folder: string;
  readonly below: string;
}

export function versionFolders(env: NodeJS.ProcessEnv): VersionFolder[] {
  const home = homeFolder(env);
  const pyenv = env.PYENV_ROOT || (home && join(home, ".pyenv"));
  return [
    ...(env.RUNNER_TOOL_CACHE ? [{ folder: join(env.RUNNER_TOOL_CACHE, "Python"), below: process.arch }] : []),
    ...(pyenv ? [{ folder: join(pyenv, "versions"), below: "" }] : []),
  ];
}

/** The newest whose version is taken, as a path; that of the tool cache where it has one. */
export async function installedPython(
  env: NodeJS.ProcessEnv,
  takes: (version: string) => boolean,
): Promise<string | undefined> {
  for (const { folder, below } of versionFolders(env)) {
    const names = await readdir(folder).catch(() => []);
    const versions = names.filter((name) => /^\d+(\.\d+)+$/.test(name) && takes(name));
    versions.sort((a, b) => (isAtLeast(a, b) ? -1 : 1));
    for (const version of versions) {
      const path = join(folder, version, below, "bin", "python3");
      if (await isProgram(path)) return path;
    }
  }
  return undefined;
}

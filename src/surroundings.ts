/** What every command finds around it, before it starts: its folders. */
import os from "node:os";
import { isAbsolute, resolve } from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

/** Where this process and those that it starts keep their files. */
const FOLDERS = [
  ...["TMPDIR", "TMP", "TEMP", "HOME", "RUNNER_TEMP", "RUNNER_TOOL_CACHE", "SERVER_BENCH_CACHE"],
  ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
  ...["UV_CACHE_DIR", "PIP_CACHE_DIR", "PYENV_ROOT", "CARGO_HOME", "RUSTUP_HOME"],
] as const;

/** The folders that are given relative to the current one. A server or an installer has another, and would take them for others. */
export function absoluteFolders(env: Variables, cwd: string): Record<string, string> {
  const given = FOLDERS.map((name) => [name, env[name]] as const);
  const relative = given.filter(([, folder]) => folder && !isAbsolute(folder));
  return Object.fromEntries(relative.map(([name, folder = ""]) => [name, resolve(cwd, folder)]));
}

/** Undefined for a user id without an entry in the machine's list of users, as containers have, where HOME is not set. */
export function homeFolder(env: Variables): string | undefined {
  if (env.HOME) return env.HOME;
  try {
    return os.homedir();
  } catch {
    return undefined;
  }
}

/** Undefined where somebody has removed it. */
export function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** The Python that supervises servers. */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string>>;

/** For a Python that hangs. */
const LIMIT_MS = 5000;

const TELL_PATH = "import sys\nprint(sys.executable)";

const known = new Map<string, Promise<string>>();

/**
 * The first `python3` in the folders of PATH, or what is behind it: a shim of a version manager, such as pyenv's shell script, takes
 * some 0.1 s at every start. Each is asked once.
 * @param env what it is started with
 * @returns path of the interpreter; the `python3` itself where it does not say, or where Python needs what a wrapper sets
 */
export async function supervisingPython(env: Environment & { readonly PATH: string }): Promise<string> {
  const program = findPython(env.PATH.split(delimiter));
  if (program === undefined) return "python3";
  const key = JSON.stringify([program, env.PATH]);
  const earlier = known.get(key);
  if (earlier !== undefined) {
    const path = await earlier;
    if (isExecutable(path)) return path;
  }
  const found = interpreterBehind(program, env);
  known.set(key, found);
  return await found;
}

function findPython(folders: readonly string[]): string | undefined {
  return folders
    .filter(isAbsolute)
    .map((folder) => join(folder, "python3"))
    .find(isExecutable);
}

async function interpreterBehind(program: string, env: Environment): Promise<string> {
  const path = await executableOf(program, env);
  if (path === undefined || !isAbsolute(path) || !isExecutable(path)) return program;
  return path === program || (await executableOf(path, env)) !== undefined ? path : program;
}

/** What it says of itself; undefined where it fails or hangs: whoever starts it gets the reason. */
async function executableOf(program: string, env: Environment): Promise<string | undefined> {
  const child = spawn(program, ["-I", "-S", "-c", TELL_PATH], {
    cwd: "/",
    // A shim may have started others.
    detached: true,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  const timer = setTimeout(() => endGroup(child.pid), LIMIT_MS);
  const code = await new Promise((resolve) => {
    child.on("error", resolve).on("close", resolve);
  });
  clearTimeout(timer);
  return code === 0 ? said.trimEnd() : undefined;
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

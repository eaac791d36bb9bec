/** The Python behind a program of this name: shims of version managers take longer to start than Python itself. */
import { spawn } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readSync, realpathSync } from "node:fs";
import { basename, isAbsolute } from "node:path";

type Environment = Readonly<Record<string, string>>;

/** For a Python that hangs. */
const LIMIT_MS = 5000;

const known = new Map<string, Promise<string>>();

/**
 * Asks a shim once. pyenv's is a shell script, which takes some 0.1 s at every start.
 * @param program path of a `python3`
 * @param env what it is started with
 * @returns path of the interpreter; the program itself where it does not say, or where the interpreter needs what a wrapper sets
 */
export async function interpreterOf(program: string, env: Environment): Promise<string> {
  const key = JSON.stringify([program, env.PATH]);
  const earlier = known.get(key);
  if (earlier !== undefined) {
    const path = await earlier;
    if (isExecutable(path)) return path;
  }
  const found = isInterpreter(program) ? Promise.resolve(program) : interpreterBehind(program, env);
  known.set(key, found);
  return await found;
}

/** Not a script, nor a link to a version manager. */
function isInterpreter(program: string): boolean {
  try {
    return basename(realpathSync(program)).startsWith("python") && !isScript(program);
  } catch {
    return false;
  }
}

function isScript(program: string): boolean {
  const file = openSync(program, "r");
  try {
    const start = Buffer.alloc(2);
    readSync(file, start);
    return start.toString("latin1") === "#!";
  } finally {
    closeSync(file);
  }
}

async function interpreterBehind(program: string, env: Environment): Promise<string> {
  const path = await executableOf(program, env);
  if (path === undefined || !isAbsolute(path) || !isExecutable(path)) return program;
  return (await executableOf(path, env)) === undefined ? program : path;
}

const TELL_PATH = "import sys\nprint(sys.executable)";

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

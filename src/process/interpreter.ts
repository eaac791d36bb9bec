/** The Python behind a program of this name: shims of version managers take longer to start than Python itself. */
import { execFile } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readSync, realpathSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { promisify } from "node:util";

/** For a Python that hangs. */
const LIMIT_MS = 5000;

const known = new Map<string, string>();

/**
 * Asks a shim once. pyenv's is a shell script, which takes some 0.1 s at every start.
 * @param program path of a `python3`
 * @param env what it is started with
 * @returns path of the interpreter; the program itself where it does not say
 */
export async function interpreterOf(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const earlier = known.get(program);
  if (earlier !== undefined && isExecutable(earlier)) return earlier;
  const found = isInterpreter(program) ? program : ((await executableOf(program, env)) ?? program);
  known.set(program, found);
  return found;
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

async function executableOf(program: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  try {
    const args = ["-I", "-S", "-c", "import sys; print(sys.executable)"];
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: "/",
      env,
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
    });
    const path = stdout.trimEnd();
    return isAbsolute(path) && isExecutable(path) ? path : undefined;
  } catch {
    // Whoever starts it gets the reason.
    return undefined;
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

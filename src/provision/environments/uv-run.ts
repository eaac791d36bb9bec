/** Calls of uv while one environment is made: all of them into one log, with the machine's package indexes. */
import { appendFile, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ProvisionContext } from "../context.js";
import { runTool, type ToolCommand, ToolError } from "../tools/run-tool.js";
import type { Tool } from "../types.js";
import type { CleanCopy } from "./clean-copy.js";
import { withoutPins } from "./pins.js";
import { uvIndexVariables } from "./pip-index.js";
import type { EnvironmentTarget } from "./target.js";

/**
 * uv links files from its cache: whoever writes into one environment would change the cache, and with it every other
 * environment (base's, too). Bytecode that a server's first start would write belongs to what is checked later.
 */
const OWN_FILES = { UV_LINK_MODE: "copy", UV_COMPILE_BYTECODE: "1" };

/** uv installs members of a workspace editable, although nothing asks for it: base would run head's code. */
function editableVariables({ editable }: EnvironmentTarget) {
  return { UV_NO_EDITABLE: editable ? undefined : "1" };
}

export interface UvCall extends Pick<ToolCommand, "cwd" | "env" | "onLine" | "logFile"> {
  /** What is done, behind the environment's name: `installing`. */
  readonly step: string;
  /** Arguments of uv. */
  readonly args: readonly string[];
}

/** One environment that is made. */
export interface UvRun {
  readonly context: ProvisionContext;
  readonly target: EnvironmentTarget;
  /** The environment's interpreter. */
  readonly interpreter: string;
  /** Holds the output of all calls but those with a log of their own. */
  readonly logFile: string;
  /** @throws ToolError */
  uv(call: UvCall): Promise<string>;
}

/** @param copy what the environment is built from */
export function uvRun(
  context: ProvisionContext,
  given: EnvironmentTarget,
  uv: Tool,
  venv: string,
  { spec, withUserPaths }: CleanCopy,
): UvRun {
  const target = { ...given, spec };
  const logFile = join(context.run.tempDir, `${basename(target.folder)}.log`);
  return {
    context,
    target,
    interpreter: join(venv, "bin", "python"),
    logFile,
    uv: ({ step, args, env, ...call }) =>
      runTool(context, {
        logFile,
        ...call,
        step: `${target.step}: ${step}`,
        command: [uv.path, ...args],
        // Builds, and files that every start of the environment's Python runs, may be a pull request's.
        keeper: target.python.executable,
        env: { ...uvIndexVariables(context.env), ...OWN_FILES, ...editableVariables(target), NO_COLOR: "1", ...env },
        remedy: () => "see the last lines of its output",
      }).catch((error: unknown) => {
        if (!(error instanceof ToolError)) throw error;
        throw new ToolError(withUserPaths(error.message), withUserPaths(error.log), error.exitCode);
      }),
  };
}

/**
 * Installs requirements; where no versions fit what the user gives, with the pins of servers.yml left open.
 * @throws ToolError
 */
export async function installFitting(
  run: UvRun,
  requires: readonly string[],
  call: (requires: readonly string[]) => UvCall,
): Promise<void> {
  const open = withoutPins(run.target.spec);
  const logFile = `${run.logFile.replace(/\.log$/, "")}-pinned.log`;
  try {
    await run.uv({ ...call(requires), ...(open && { logFile }) });
  } catch (error) {
    run.context.run.signal.throwIfAborted();
    const log = await readFile(logFile, "utf8").catch(() => "");
    if (open !== undefined && /no solution found/i.test(log)) return void (await run.uv(call(open)));
    await appendFile(run.logFile, log);
    throw error;
  }
}

/**
 * Arguments of uv that begin an installation into the environment. uv looks at pyproject.toml alone to tell whether a folder
 * has changed, and would take an earlier build of it. Which other folders a local project is built from, only uv knows.
 */
export function pip({ interpreter, target: { sources } }: UvRun): string[] {
  const isLocal = sources.server.length + sources.app.length > 0;
  return ["pip", "install", "--python", interpreter, ...(isLocal ? ["--refresh"] : [])];
}

/** The Pythons that environments are made from. */
import { readdir } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import * as v from "valibot";
import { messageOf, SetupError } from "../../errors.js";
import { homeFolder } from "../../surroundings.js";
import type { ProvisionContext } from "../context.js";
import { findOnPath, isProgram } from "../tools/find-on-path.js";
import { runTool } from "../tools/run-tool.js";
import { uvOnPath } from "../tools/uv.js";
import { isAtLeast } from "../tools/version.js";
import type { Tool } from "../types.js";

/** The oldest Python that the servers of servers.yml still install on. */
export const PYTHON_MINIMUM = "3.10";
const ANSWER_TIMEOUT_SEC = 20;

const pythonSchema = v.object({
  executable: v.pipe(v.string(), v.minLength(1)),
  version: v.string(),
  implementation: v.optional(v.string(), "cpython"),
});
/** `executable` is the interpreter itself (no shim, no virtual environment); `version` its full version, with a `t`. */
export type Python = v.InferOutput<typeof pythonSchema>;
export type PythonState =
  | { readonly state: "found"; readonly python: Python }
  | { readonly state: "skipped"; readonly reason: string }
  /** uv, which looks for Pythons, could not be installed. */
  | { readonly state: "failed"; readonly reason: string; readonly log: string };

/** Runs under any Python 3. `t` marks a build without the global lock, which is another Python. */
const QUESTION = [
  "import json, platform, sys, sysconfig",
  'free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""',
  'executable = getattr(sys, "_base_executable", None) or sys.executable',
  "name = sys.implementation.name",
  'print(json.dumps({"executable": executable, "version": platform.python_version() + free, "implementation": name}))',
].join("; ");

/** The python3 on PATH, else one that uv knows. @throws SetupError when there is none, or it is too old. */
export async function defaultPython(context: ProvisionContext): Promise<Python> {
  const path = await findOnPath("python3", context.env);
  if (path === undefined) return pythonOfUv(context);
  const python = await askPython(context, path);
  if (isAtLeast(python.version, PYTHON_MINIMUM)) return python;
  throw new SetupError(
    `python3 on PATH (${python.executable}) is ${python.version}, and the servers need ${PYTHON_MINIMUM} or newer: put a ` +
      "newer python3 first on PATH, or choose an installed one (--python, in the action the input python)",
  );
}

async function pythonOfUv(context: ProvisionContext): Promise<Python> {
  const uv = await uvOnPath(context);
  const found = uv && (await findWithUv(context, uv, `>=${PYTHON_MINIMUM}`).catch(() => undefined));
  context.run.signal.throwIfAborted();
  if (found !== undefined) return askPython(context, found);
  throw new SetupError(
    `no Python: there is no python3 on PATH; apt-get install python3 python3-pip (${PYTHON_MINIMUM} or newer), or ` +
      "`uv python install` with uv on PATH",
  );
}

/** A Python by version (`3.13`) or path. Where it is not there, its rows are skipped. @throws the run's abort reason */
export async function requestedPython(
  context: ProvisionContext,
  request: string,
  uv: () => Promise<Tool>,
): Promise<PythonState> {
  try {
    if (request.includes("/")) return { state: "found", python: await askPython(context, resolve(request)) };
    const installed = await findInstalled(context, request);
    if (installed !== undefined) return { state: "found", python: await askPython(context, installed) };
    const tool = await toolOrFailure(context, uv);
    if ("state" in tool)
      return {
        ...tool,
        reason: `Python ${request} is looked for with uv, which could not be installed: ${tool.reason}`,
      };
    return { state: "found", python: await askPython(context, await findWithUv(context, tool, request)) };
  } catch (error) {
    context.run.signal.throwIfAborted();
    const cause =
      (error instanceof SetupError && error.log.split("\n").find((line) => line.trim() !== "")) || messageOf(error);
    const reason = `Python ${request} is not there (${cause.trim()}); ${pythonRemedy(request)}`;
    return { state: "skipped", reason };
  }
}

function pythonRemedy(request: string): string {
  if (request.includes("/")) return "give the path of a Python";
  return isTooOld(request)
    ? `servers need Python ${PYTHON_MINIMUM} or newer`
    : `\`uv python install ${request}\` installs it`;
}

/** Whether every Python that a request such as `3`, `3.9` or `3.9.18` stands for is. */
function isTooOld(request: string): boolean {
  if (!/^\d+(\.\d+)*t?$/.test(request)) return false;
  const parts = request.replace("t", "").split(".");
  return !isAtLeast(parts.join("."), PYTHON_MINIMUM.split(".").slice(0, parts.length).join("."));
}

/** @throws the run's abort reason */
async function toolOrFailure(
  { run }: ProvisionContext,
  uv: () => Promise<Tool>,
): Promise<Tool | Extract<PythonState, { readonly state: "failed" }>> {
  try {
    return await uv();
  } catch (error) {
    run.signal.throwIfAborted();
    return { state: "failed", reason: messageOf(error), log: error instanceof SetupError ? error.log : "" };
  }
}

/** A folder of Pythons by version, and the folder between a version and its bin/. */
export interface VersionFolder {
  readonly folder: string;
  readonly below: string;
}

/** Where setup-python and pyenv put their versions; uv finds neither when they are not on PATH. */
export function versionFolders(env: NodeJS.ProcessEnv): VersionFolder[] {
  const home = homeFolder(env);
  const pyenv = env.PYENV_ROOT || (home && join(home, ".pyenv"));
  return [
    ...(env.RUNNER_TOOL_CACHE ? [{ folder: join(env.RUNNER_TOOL_CACHE, "Python"), below: process.arch }] : []),
    ...(pyenv ? [{ folder: join(pyenv, "versions"), below: "" }] : []),
  ];
}

async function findInstalled({ env }: ProvisionContext, request: string): Promise<string | undefined> {
  if (!/^\d+\.\d+(\.\d+)?$/.test(request)) return undefined;
  for (const { folder, below } of versionFolders(env)) {
    const names = await readdir(folder).catch(() => []);
    const versions = names.filter((name) => /^[\d.]+$/.test(name) && `${name}.`.startsWith(`${request}.`));
    versions.sort((a, b) => (isAtLeast(a, b) ? -1 : 1));
    for (const version of versions) {
      const path = join(folder, version, below, "bin", "python3");
      if (await isProgram(path)) return path;
    }
  }
  return undefined;
}

async function findWithUv(context: ProvisionContext, uv: Tool, request: string): Promise<string> {
  const output = await runTool(context, {
    step: `looking for Python ${request}`,
    command: [uv.path, "python", "find", "--system", "--no-project", "--no-config", "--", request],
    remedy: (log) => log.split("\n")[0] ?? "",
    timeoutSec: ANSWER_TIMEOUT_SEC,
  });
  const path = output.trim();
  if (!isAbsolute(path)) throw new SetupError(`uv python find ${request} answered ${JSON.stringify(path)}, not a path`);
  return path;
}

/** @throws SetupError when it does not run, or is no Python */
export async function askPython(context: ProvisionContext, path: string): Promise<Python> {
  const step = `asking ${path} for its version`;
  const output = await runTool(context, {
    step,
    command: [path, "-I", "-S", "-c", QUESTION],
    remedy: () => `a Python ${PYTHON_MINIMUM} or newer is needed there`,
    timeoutSec: ANSWER_TIMEOUT_SEC,
  });
  try {
    return v.parse(pythonSchema, JSON.parse(output));
  } catch (error) {
    throw new SetupError(`${step}: unexpected answer ${JSON.stringify(output.slice(0, 200))}: ${messageOf(error)}`);
  }
}

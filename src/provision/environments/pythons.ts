/** Every Python of the machine that servers can run under: uv's, the tool cache's, pyenv's, PATH's, and those asked for. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { messageOf, SetupError } from "../../errors.js";
import type { PythonChoice } from "../../plan/types.js";
import { openContext, type ProvisionContext, type ProvisionOptions } from "../context.js";
import { findOnPath, isProgram } from "../tools/find-on-path.js";
import { versionFolders } from "../tools/installed-pythons.js";
import { runTool } from "../tools/run-tool.js";
import { provideUv } from "../tools/uv.js";
import { isAtLeast, parseVersion } from "../tools/version.js";
import type { Tool } from "../types.js";
import { askPython, PYTHON_MINIMUM, type Python, requestedPython } from "./python.js";

const ANSWER_TIMEOUT_SEC = 20;
/** More at a time make a small machine slower, not faster. */
const QUESTIONS_AT_A_TIME = 4;

const uvListSchema = v.array(v.object({ key: v.string(), version: v.string(), path: v.nullable(v.string()) }));

/**
 * The Pythons, one for each version and implementation: of two patch releases the newer one, unless the other was asked
 * for. What was asked for and is not there is among them too: provisioning then skips its rows.
 * @param asked versions (`3.13`) or paths
 * @throws SetupError when there is no uv, and the reason of the run's signal
 */
export async function findPythons(options: ProvisionOptions, asked: readonly string[]): Promise<PythonChoice[]> {
  const context = await openContext(options);
  const uv = await provideUv(context);
  const choices = new Map<string, PythonChoice>();
  const found = await askAll(context, [
    ...(await onPath(context)),
    ...(await inVersionFolders(context)),
    ...(await knownToUv(context, uv)),
  ]);
  for (const python of found) {
    const label = labelOf(python);
    choices.set(label, { label, request: python.executable });
  }
  for (const request of asked) {
    const answer = await requestedPython(context, request, async () => uv);
    const label = answer.state === "found" ? labelOf(answer.python) : request;
    choices.set(label, { label, request: answer.state === "found" ? answer.python.executable : request });
  }
  return [...choices.values()];
}

/** `3.13`, `3.14t`, `pypy3.11` */
function labelOf({ version, implementation }: Python): string {
  const minor = /^\d+\.\d+/.exec(version)?.[0] ?? version;
  return `${implementation === "cpython" ? "" : implementation}${minor}${version.endsWith("t") ? "t" : ""}`;
}

async function onPath({ env }: ProvisionContext): Promise<string[]> {
  const path = await findOnPath("python3", env);
  return path === undefined ? [] : [path];
}

async function inVersionFolders({ env }: ProvisionContext): Promise<string[]> {
  const paths: string[] = [];
  for (const { folder, below } of versionFolders(env)) {
    const versions = (await readdir(folder).catch(() => [])).filter(newEnough);
    for (const version of versions) {
      // The tool cache has the build without the global lock in another folder: x64-freethreaded.
      for (const part of below === "" ? [""] : [below, `${below}-freethreaded`]) {
        const path = join(folder, version, part, "bin", "python3");
        if (await isProgram(path)) paths.push(path);
      }
    }
  }
  return paths;
}

async function knownToUv(context: ProvisionContext, uv: Tool): Promise<string[]> {
  const output = await runTool(context, {
    step: "looking for Pythons",
    command: [uv.path, "python", "list", "--only-installed", "--no-config", "--output-format", "json"],
    remedy: () => "see the last lines of its output",
    timeoutSec: ANSWER_TIMEOUT_SEC,
  });
  let list: v.InferOutput<typeof uvListSchema>;
  try {
    list = v.parse(uvListSchema, JSON.parse(output));
  } catch (error) {
    throw new SetupError(`uv python list gave an unexpected answer: ${messageOf(error)}`, output.slice(0, 2000));
  }
  // A key is one build; several paths to it lead to the same interpreter.
  const byKey = new Map(list.filter(({ version }) => newEnough(version)).map((entry) => [entry.key, entry.path]));
  return [...byKey.values()].filter((path) => path !== null);
}

function newEnough(version: string): boolean {
  const number = parseVersion(version);
  return number !== undefined && isAtLeast(number, PYTHON_MINIMUM);
}

/**
 * The interpreters behind the paths, those to prefer last: newer patch releases, and of equal ones the path that came
 * first. What does not answer is left out.
 */
async function askAll(context: ProvisionContext, paths: readonly string[]): Promise<Python[]> {
  const distinct = [...new Set(paths)];
  const queue = [...distinct.entries()];
  const answers: { readonly index: number; readonly python: Python }[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, path] = next;
      try {
        const python = await askPython(context, path);
        if (newEnough(python.version)) answers.push({ index, python });
      } catch (error) {
        context.run.signal.throwIfAborted();
        context.progress.note(`${path} is not used: ${messageOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: QUESTIONS_AT_A_TIME }, work));
  answers.sort((a, b) => compare(a.python, b.python) || b.index - a.index);
  return answers.map(({ python }) => python);
}

function compare(a: Python, b: Python): number {
  const [one, other] = [a, b].map(({ version }) => parseVersion(version) ?? version) as [string, string];
  if (one === other) return 0;
  return isAtLeast(one, other) ? 1 : -1;
}

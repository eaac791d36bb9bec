/** The programs that measuring uses, and the Pythons that servers can run on. Nothing is installed. */
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as v from "valibot";
import { cacheRoot } from "../../provision/cache/cache.js";
import { PYTHON_MINIMUM, versionFolders } from "../../provision/environments/python.js";
import { findOnPath, isProgram } from "../../provision/tools/find-on-path.js";
import { isAtLeast } from "../../provision/tools/version.js";
import type { Check } from "./check.js";

const run = promisify(execFile);
const ANSWER_MS = 10_000;
const outputSchema = v.fallback(v.object({ stdout: v.string(), stderr: v.string() }), { stdout: "", stderr: "" });

interface ProgramUse {
  readonly name: string;
  readonly versionArgs: readonly string[];
  readonly use: string;
  /** What cannot be done without it. */
  readonly without: string;
  /** server-bench installs it where it is missing. */
  readonly installed: boolean;
  /** It does so with pip. */
  readonly needsPip: boolean;
  /** Only the program of the cache is used. */
  readonly cacheOnly: boolean;
  readonly todo: string;
}

const PROGRAMS: readonly ProgramUse[] = [
  program("oha", "loads all benchmarks over HTTP", { installed: true }),
  program("uv", "makes the environments", {
    installed: true,
    needsPip: true,
    without: "Nothing can be measured without it.",
  }),
  program("taskset", "keeps server and load generator on separate CPUs", {
    without: "Nothing can be measured without it.",
    todo: "apt-get install util-linux",
  }),
  program("git", "checks out base", {
    without: "No commit can be compared without it.",
    todo: "apt-get install git",
  }),
  program("cargo", "builds oha where its release cannot be downloaded, and servers written in Rust", {
    todo: "https://rustup.rs",
  }),
  program("wrk", "loads benchmarks with `generator: wrk`", { todo: "apt-get install wrk" }),
  program("ghz", "loads gRPC benchmarks", { installed: true, todo: "install Go (https://go.dev/dl), which builds it" }),
  program("go", "builds ghz where it is missing", { versionArgs: ["version"], todo: "https://go.dev/dl" }),
  program("valgrind", "counts instructions", { todo: "apt-get install valgrind" }),
  program("py-spy", "samples where a server spends its time", { installed: true, cacheOnly: true }),
];

function program(name: string, use: string, more: Partial<ProgramUse>): ProgramUse {
  return {
    name,
    use,
    versionArgs: ["--version"],
    without: "Without it, only that is left out.",
    installed: false,
    needsPip: false,
    cacheOnly: false,
    todo: "",
    ...more,
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

export async function programChecks(env: Variables): Promise<Check[]> {
  const programs = await Promise.all(PROGRAMS.map((one) => programCheck(one, env)));
  return [...programs, await pythonCheck(env)];
}

async function programCheck(use: ProgramUse, env: Variables): Promise<Check> {
  const onPath = use.cacheOnly ? undefined : await findOnPath(use.name, { ...env });
  const path = onPath ?? (await inCache(use.name, env));
  const common = { id: `program-${use.name}`, title: use.name, means: `It ${use.use}.` };
  if (path !== undefined) {
    const version = await versionOf(path, use.versionArgs, env);
    return { ...common, state: "good", found: version === undefined ? path : `${version}, ${path}`, todo: "" };
  }
  if (use.needsPip && !(await hasPip(env)))
    return {
      ...common,
      state: "lacking",
      found: "not there, and there is no pip to install it with",
      means: `${common.means} ${use.without}`,
      todo: `apt-get install python3-pip, or put ${use.name} on PATH`,
    };
  if (use.installed) {
    const todo = use.todo === "" ? "" : `Where that fails: ${use.todo}.`;
    return { ...common, state: "good", found: "not there; the first run that needs it installs it", todo };
  }
  return { ...common, state: "lacking", found: "not there", means: `${common.means} ${use.without}`, todo: use.todo };
}

/** `oha/1.16.0-linux-x64/oha` in the cache. */
async function inCache(name: string, env: Variables): Promise<string | undefined> {
  const folder = join(cacheRoot({ ...env }), name);
  for (const version of await readdir(folder).catch(() => [])) {
    const path = join(folder, version, name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function hasPip(env: Variables): Promise<boolean> {
  const python = await findOnPath("python3", { ...env });
  if (python === undefined) return false;
  return run(python, ["-m", "pip", "--version"], optionsOf(env)).then(
    () => true,
    () => false,
  );
}

/** A program that does not answer is ended. */
function optionsOf({ PATH, HOME }: Variables) {
  return { timeout: ANSWER_MS, env: { PATH, HOME } };
}

async function versionOf(path: string, args: readonly string[], env: Variables): Promise<string | undefined> {
  // wrk prints its version and fails.
  const answer: unknown = await run(path, args, optionsOf(env)).catch((error: unknown) => error);
  const { stdout, stderr } = v.parse(outputSchema, answer);
  const text = `${stdout}${stderr}`;
  // `go version go1.26.4`
  return /\d+\.\d+(?:\.\d+)*/.exec(text)?.[0];
}

async function pythonCheck(env: Variables): Promise<Check> {
  const path = await findOnPath("python3", { ...env });
  const own = path === undefined ? undefined : await versionOf(path, ["--version"], env);
  const others = await installedVersions(env);
  const right = own !== undefined && isAtLeast(own, PYTHON_MINIMUM);
  const list = others.length === 0 ? "" : `; also ${others.join(", ")}`;
  return {
    id: "python",
    title: "Python",
    state: right ? "good" : "lacking",
    found: `${own === undefined ? "no python3 on PATH" : `${own}, ${path}`}${list}`,
    means: `The servers run on python3 of PATH, ${PYTHON_MINIMUM} or newer; --python chooses another one.`,
    todo: right
      ? ""
      : `Put a python3 of ${PYTHON_MINIMUM} or newer on PATH: apt-get install python3 python3-pip, or uv python install.`,
  };
}

/** Of pyenv and of the runner's tool cache. */
async function installedVersions(env: Variables): Promise<string[]> {
  const folders = await Promise.all(versionFolders({ ...env }).map(({ folder }) => readdir(folder).catch(() => [])));
  const versions = folders.flat().filter((name) => /^3\.[\d.]+t?$/.test(name) && isAtLeast(name, PYTHON_MINIMUM));
  return [...new Set(versions)].sort((a, b) => (isAtLeast(a, b) ? 1 : -1));
}

/** Shipped workflows, run on this machine by act: it stands for GitHub's runner, as the double does for its API. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SetupError } from "../../src/errors.js";
import { cacheRoot, discard, temporarySibling } from "../../src/provision/cache/cache.js";
import { openContext, type ProvisionContext, type ProvisionOptions } from "../../src/provision/context.js";
import { type InstallRequest, type Program, provideProgram } from "../../src/provision/tools/program.js";
import { runTool } from "../../src/provision/tools/run-tool.js";
import { parseVersion } from "../../src/provision/tools/version.js";
import type { Tool } from "../../src/provision/types.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MODULE = "github.com/nektos/act";
const ANSWER_TIMEOUT_SEC = 10;
/** How the shipped workflows name this action. */
const ACTION = "org/server-bench@v1";
/** Needs GitHub, and Pythons to choose from: here it does nothing, and this machine's Python is taken. */
const SETUP_PYTHON = /actions\/setup-python@[0-9a-f]{40}/g;
const NOTHING =
  "name: Nothing\ndescription: Does nothing\nruns:\n  using: composite\n  steps:\n    - run: exit\n      shell: bash\n";
/** What a checkout of the action has of use on a runner. */
const ACTION_FILES = ["action.yml", "package.json", "dist", "scenarios", "python-apps"];
/** Of a runner that these tests run on themselves: nothing of its job is this job's. */
const RUNNER_VARIABLES = /^(GITHUB|ACTIONS|INPUT|RUNNER)_/;

const ACT: Program = {
  name: "act",
  // Older ones know no node24, and newer ones are not known to run on the host the same way.
  version: "0.2.89",
  versionOf,
  digests: [],
  methods: [{ name: "go", needs: "go", failed: "Go could not build it", install: buildWithGo }],
  remedy: `put act on PATH (a program from https://${MODULE}/releases), or install Go (https://go.dev/dl) so that it can be built`,
};

/** act from PATH, from Go's own folder of programs, from the cache, or built into the cache. @throws SetupError */
export async function provideAct(options: ProvisionOptions): Promise<Tool> {
  const context = await openContext(options);
  const PATH = [context.env.PATH ?? "", ...(await goFolders(context))].join(delimiter);
  try {
    return await provideProgram({ ...context, env: { ...context.env, PATH } }, ACT);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    throw new SetupError(error.message.replace(/^no load generator: /, ""), error.log);
  }
}

/** Where `go install` puts programs; none without Go. */
async function goFolders(context: ProvisionContext): Promise<string[]> {
  const asked = await runTool(context, {
    step: "asking go for its folders",
    command: ["go", "env", "GOBIN", "GOPATH"],
    env: { GOBIN: context.env.GOBIN, GOPATH: context.env.GOPATH },
    remedy: () => "",
    timeoutSec: ANSWER_TIMEOUT_SEC,
  }).catch(() => "");
  const [bin = "", paths = ""] = asked.split("\n");
  const named = (path: string) => path !== "";
  return [
    bin,
    ...paths
      .split(delimiter)
      .filter(named)
      .map((path) => join(path, "bin")),
  ].filter(named);
}

async function versionOf(context: ProvisionContext, path: string): Promise<string> {
  const output = await runTool(context, {
    step: "asking act for its version",
    command: [path, "--version"],
    remedy: () => "it does not run on this machine",
    timeoutSec: ANSWER_TIMEOUT_SEC,
  });
  const version = parseVersion(output);
  if (version === undefined) throw new Error(`${path} --version does not tell a version`);
  return version;
}

/** Go verifies the module against its checksum database. */
async function buildWithGo(context: ProvisionContext, { version, folder }: InstallRequest) {
  const leftover = temporarySibling(folder);
  const command = ["go", "install", `${MODULE}@v${version}`] as const;
  try {
    await runTool(context, {
      step: `building act ${version}`,
      command,
      env: { GOBIN: leftover },
      remedy: (log) => log.split("\n").at(-1) ?? "",
    });
  } catch (error) {
    await discard(leftover);
    throw error;
  }
  return { path: join(leftover, "act"), origin: command.join(" "), leftover };
}

interface WorkflowRun {
  /** Its HEAD is what the job's checkout has. */
  readonly repository: string;
  /** Below the repository. */
  readonly workflow: string;
  readonly event: { readonly name: string; readonly payload: unknown };
  readonly token: string;
  /** What act would make up otherwise: GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_RUN_ID, RUNNER_TRACKING_ID, ACTIONS_*. */
  readonly env: Readonly<Record<string, string>>;
  /** For all that act writes: the job's workspace, its temporary files, the action as it was fetched. */
  readonly temp: string;
  /** Ends act, and with it the job. */
  readonly signal: AbortSignal;
}

export interface WorkflowEnd {
  readonly code: number | null;
  /** act's log: that of the job, each line behind the job's name. */
  readonly log: string;
}

/**
 * Runs a workflow as it stands: labels of runners mean this machine, actions/checkout copies the repository (act has
 * its own), and the action that is released as v1 is the one that is built here.
 */
export async function runWorkflow(act: Tool, run: WorkflowRun): Promise<WorkflowEnd> {
  const action = join(run.temp, "action");
  for (const name of ACTION_FILES) cpSync(join(ROOT, name), join(action, name), { recursive: true });
  const nothing = join(run.temp, "nothing");
  mkdirSync(nothing);
  writeFileSync(join(nothing, "action.yml"), NOTHING);
  const left = new Set(readFileSync(join(run.repository, run.workflow), "utf8").match(SETUP_PYTHON));
  const event = join(run.temp, "event.json");
  writeFileSync(event, JSON.stringify(run.event.payload));
  const host = join(run.temp, "host");
  mkdirSync(host);
  const child = spawn(
    act.path,
    [
      ...[run.event.name, "--eventpath", event, "--workflows", run.workflow],
      ...["ubuntu-latest", "self-hosted"].flatMap((label) => ["--platform", `${label}=-self-hosted`]),
      ...["--local-repository", `${ACTION}=${action}`, "--action-cache-path", host, "--no-cache-server"],
      ...[...left].flatMap((name) => ["--local-repository", `${name}=${nothing}`]),
      ...["--secret", `GITHUB_TOKEN=${run.token}`],
      ...Object.entries(run.env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ],
    { cwd: run.repository, env: hostEnvironment(), stdio: ["ignore", "pipe", "pipe"], signal: run.signal },
  );
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, log };
}

/** This machine's, with the Node that the tests run on: act takes it for every version that an action asks for. */
function hostEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !RUNNER_VARIABLES.test(name));
  return {
    ...Object.fromEntries(own),
    PATH: [dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
    // act's tool cache is empty: load generators and environments are those that the other tests use.
    SERVER_BENCH_CACHE: cacheRoot(process.env),
  };
}

/** Shipped workflows, run on this machine by act: it stands for GitHub's runner, as the double does for its API. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { cacheRoot, discard, temporarySibling } from "../../src/provision/cache/cache.js";
import { openContext, type ProvisionContext, type ProvisionOptions } from "../../src/provision/context.js";
import { printedVersion } from "../../src/provision/tools/printed-version.js";
import { type InstallRequest, type Program, provideProgram } from "../../src/provision/tools/program.js";
import { runTool } from "../../src/provision/tools/run-tool.js";
import type { Tool } from "../../src/provision/types.js";
import { pullRequestOn } from "./action-world.js";
import { tempFolder } from "./cli.js";
import type { GitHubDouble } from "./github/double.js";
import { git } from "./repository.js";
import type { TestTool } from "./tools.js";
import { ROOT } from "./workflows.js";

const MODULE = "github.com/nektos/act";
const WORKFLOW = ".github/workflows/bench.yml";
/** How the shipped workflows name this action, and what of a checkout of it is of use on a runner. */
const ACTION = "org/server-bench@v1";
const ACTION_FILES = ["action.yml", "package.json", "dist", "scenarios", "python-apps"];
/** Needs GitHub, and Pythons to choose from: here it does nothing, and this machine's Python is taken. */
const SETUP_PYTHON = /actions\/setup-python@[0-9a-f]{40}/g;
const NOTHING =
  "name: Nothing\ndescription: Does nothing\nruns:\n  using: composite\n  steps:\n    - run: exit\n      shell: bash\n";
/** Of a runner that these tests run on themselves: nothing of its job is this job's. */
const RUNNER_VARIABLES = /^(GITHUB|ACTIONS|INPUT|RUNNER)_/;

/** Every process of a job carries it, on GitHub's runners too. */
export const TRACKING_ID = `github_${randomUUID()}`;

const ACT: Program = {
  name: "act",
  // Older ones know no node24, and newer ones are not known to run on the host the same way.
  version: "0.2.89",
  versionOf: (context, path) => printedVersion(context, "act", path),
  digests: [],
  methods: [{ name: "go", needs: "go", failed: "Go could not build it", install: buildWithGo }],
  remedy: `put act on PATH (a program from https://${MODULE}/releases), or install Go (https://go.dev/dl) so that it can be built`,
};

/** act from PATH, from the cache, or built into the cache. @throws SetupError */
export async function provideAct(options: ProvisionOptions): Promise<Tool> {
  return await provideProgram(await openContext(options), ACT);
}

/** Go verifies the module against its checksum database. */
async function buildWithGo(context: ProvisionContext, { version, folder }: InstallRequest) {
  const leftover = temporarySibling(folder);
  const command = ["go", "install", `${MODULE}@v${version}`] as const;
  const remedy = (log: string) => log.split("\n").at(-1) ?? "";
  const step = `building act ${version}`;
  await runTool(context, { step, command, env: { GOBIN: leftover }, remedy }).catch(async (error: unknown) => {
    await discard(leftover);
    throw error;
  });
  return { path: join(leftover, "act"), origin: command.join(" "), leftover };
}

export function exampleText(name: string): string {
  return readFileSync(join(ROOT, "examples", name), "utf8");
}

type Files = Readonly<Record<string, string>>;

/**
 * Runs a workflow as it stands on pull request 7, checked out as a runner does: GitHub's merge of it into main, on no
 * branch. Labels of runners mean this machine, actions/checkout copies the repository (act has its own), and the action
 * that is released as v1 is the one that is built here.
 * @param signal ends act, and with it the job
 */
export async function runOnPull(
  act: TestTool,
  github: GitHubDouble,
  { workflow, base, head }: { readonly workflow: string; readonly base: Files; readonly head: Files },
  signal: AbortSignal,
) {
  if (act.missing !== undefined) throw new Error(act.missing);
  const temp = tempFolder();
  const files = { base: { ...base, [WORKFLOW]: workflow }, head };
  const { workspace: repository, baseSha, pull, run } = pullRequestOn(github, join(temp, "repository"), files);
  git(repository, "checkout", "--quiet", "--detach", "main");
  git(repository, "merge", "--quiet", "--no-ff", "-m", "Merge", "feature");
  const file = (name: string) => join(temp, name);
  for (const name of ACTION_FILES) cpSync(join(ROOT, name), join(file("action"), name), { recursive: true });
  for (const folder of ["nothing", "host"]) mkdirSync(file(folder));
  writeFileSync(file("nothing/action.yml"), NOTHING);
  writeFileSync(file("event.json"), JSON.stringify(github.pullRequestEvent(pull)));
  const left = new Set(workflow.match(SETUP_PYTHON));
  // What act would make up otherwise.
  const env = {
    GITHUB_REPOSITORY: `${github.owner}/${github.repo}`,
    GITHUB_API_URL: github.url,
    GITHUB_RUN_ID: String(run.id),
    // act leaves it out; a runner always sets it.
    GITHUB_WORKFLOW_REF: `${github.owner}/${github.repo}/${WORKFLOW}@refs/heads/main`,
    RUNNER_TRACKING_ID: TRACKING_ID,
    ...github.runtimeEnv(run.id),
  };
  const args = [
    ...["pull_request", "--eventpath", file("event.json"), "--workflows", WORKFLOW],
    ...["ubuntu-latest", "self-hosted"].flatMap((label) => ["--platform", `${label}=-self-hosted`]),
    ...["--local-repository", `${ACTION}=${file("action")}`, "--action-cache-path", file("host"), "--no-cache-server"],
    ...[...left].flatMap((name) => ["--local-repository", `${name}=${file("nothing")}`]),
    ...["--secret", `GITHUB_TOKEN=${github.token}`],
    ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  ];
  const child = spawn(act.tool.path, args, { cwd: repository, env: hostEnvironment(), signal });
  child.stdin.end();
  /** That of the job, each line behind the job's name. */
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, log, pull, run, baseSha };
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

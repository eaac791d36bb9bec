/**
 * A runner of workflows for tests: jobs in the order of `needs`, `if`, matrices, permissions and expressions as GitHub has
 * them; our own steps run the committed bundle on the double of GitHub. Checkouts are real clones. Other steps are refused.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { startAction } from "../action.js";
import type { GitHubDouble, StoredRun } from "../github/double.js";
import { git } from "../repository.js";
import { readAction, type Workflow } from "../workflows.js";
import { type Contexts, evaluateText, isTrue, type NeedsState } from "./expressions.js";

const OURS = "org/server-bench@v1";
/** Needs GitHub Pages. */
const PAGES = /^actions\/(?:upload-pages-artifact|deploy-pages)@/;
/** Needs Pythons to choose from: the tests' own is taken. */
const SETS_UP = /^actions\/setup-python@/;
/** Of release.yml; a test of its own runs the command. */
const PUSHES = /^git push origin HEAD:[\w-]+$/m;
/** Needs root; .ci/run installs the package. */
const INSTALLS = /^sudo apt-get update && sudo apt-get install --yes --no-install-recommends valgrind$/;
/** As GitHub names the permissions of a token, and as the double does. */
const PERMISSIONS = {
  contents: "contents",
  actions: "actions",
  issues: "issues",
  "pull-requests": "pullRequests",
} as const;

const jobSchema = v.looseObject({
  if: v.optional(v.string()),
  needs: v.optional(v.union([v.string(), v.array(v.string())]), []),
  strategy: v.optional(v.looseObject({ matrix: v.string() })),
  permissions: v.record(v.string(), v.picklist(["read", "write"])),
  outputs: v.optional(v.record(v.string(), v.string()), {}),
});

export interface WorkflowWorld {
  readonly github: GitHubDouble;
  readonly run: StoredRun;
  readonly event: {
    readonly name: string;
    readonly payload: Readonly<Record<string, unknown>>;
    /** Default: the branch, or the pull request's merge. */
    readonly ref?: string;
  };
  /** What a checkout clones: its HEAD. */
  readonly repository: string;
  /** For clones. */
  readonly temp: string;
  /** Makes the load tiny; the rest is the workflow's own. */
  readonly inputs: (inputs: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  /** A job whose runner never came back. */
  readonly lost?: (job: string, matrix: Readonly<Record<string, unknown>>) => boolean;
  /** A job whose clone has no history, whatever the workflow asks for. */
  readonly shallow?: (job: string, matrix: Readonly<Record<string, unknown>>) => boolean;
}

export interface JobEnd {
  readonly name: string;
  readonly result: "success" | "failure" | "skipped";
  readonly outputs: Readonly<Record<string, string>>;
  /** Of its own step. */
  readonly log: string;
  readonly summary: string;
}

/** Every job of the workflow, a job of a matrix once for each combination. */
export async function runJobs(workflow: Workflow, world: WorkflowWorld): Promise<readonly JobEnd[]> {
  const ends: JobEnd[] = [];
  // The examples list their jobs in the order of their needs; a job that comes too early throws below.
  for (const name of Object.keys(workflow.value.jobs)) ends.push(...(await runJob(workflow, name, world, ends)));
  return ends;
}

async function runJob(
  workflow: Workflow,
  name: string,
  world: WorkflowWorld,
  earlier: readonly JobEnd[],
): Promise<JobEnd[]> {
  const job = v.parse(jobSchema, workflow.value.jobs[name]);
  const needed = (typeof job.needs === "string" ? [job.needs] : job.needs).map((need) => of(need, earlier));
  const failed = needed.some(({ result }) => result !== "success");
  const state: NeedsState = { failed, cancelled: false };
  const needs = Object.fromEntries(needed.map((end) => [end.name, { result: end.result, outputs: end.outputs }]));
  const contexts: Contexts = { github: githubContext(world), needs, inputs: world.event.payload.inputs ?? {} };
  if (!isTrue(job.if, contexts, state)) return [ended(name, "skipped")];
  const combinations = job.strategy ? matrixOf(evaluateText(job.strategy.matrix, contexts)) : [{}];
  const ends: JobEnd[] = [];
  for (const matrix of combinations) ends.push(await runSteps(workflow, name, job, world, { ...contexts, matrix }));
  return ends;
}

/** Of a matrix: failed when one of them failed. */
function of(name: string, earlier: readonly JobEnd[]): JobEnd {
  const own = earlier.filter((end) => end.name === name);
  const [first] = own;
  if (first === undefined) throw new Error(`the job ${name} comes after a job that needs it`);
  return own.find(({ result }) => result === "failure") ?? first;
}

function matrixOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return v.parse(v.object({ include: v.array(v.record(v.string(), v.unknown())) }), value).include;
}

function ended(name: string, result: JobEnd["result"], more: Partial<JobEnd> = {}): JobEnd {
  return { name, result, outputs: {}, log: "", summary: "", ...more };
}

async function runSteps(
  workflow: Workflow,
  name: string,
  { permissions, outputs }: v.InferOutput<typeof jobSchema>,
  world: WorkflowWorld,
  contexts: Contexts,
): Promise<JobEnd> {
  const matrix = contexts.matrix as Readonly<Record<string, unknown>>;
  if (world.lost?.(name, matrix)) return ended(name, "failure");
  const token = addToken(world, name, permissions);
  const workspace = join(
    world.temp,
    `workspace-${name}-${Object.values(matrix)
      .join("-")
      .replaceAll(/[^\w-]/g, "_")}`,
  );
  mkdirSync(workspace);
  let own = ended(name, "success");
  const steps: Record<string, { readonly outputs: Readonly<Record<string, string>> }> = {};
  for (const { id, uses = "", run = "", with: given } of workflow.value.jobs[name]?.steps ?? []) {
    if (PAGES.test(uses) || SETS_UP.test(uses) || PUSHES.test(run) || INSTALLS.test(run)) continue;
    if (uses.startsWith("actions/checkout@"))
      checkOut(world, workspace, world.shallow?.(name, matrix) ? 1 : given["fetch-depth"], evaluated(given, contexts));
    else if (uses === OURS) {
      const inputs = inputsOf(given, { ...contexts, github: { ...githubContext(world), token } });
      own = await runOwnStep(name, inputs, workspace, world);
      if (id !== undefined) steps[id] = { outputs: own.outputs };
    } else throw new Error(`the job ${name} has a step that the tests cannot run: ${uses}`);
  }
  const texts = Object.entries(outputs).map(([key, text]) => [key, String(evaluateText(text, { steps }) ?? "")]);
  return { ...own, outputs: { ...own.outputs, ...Object.fromEntries(texts) } };
}

/** As GitHub gives it to the job: a fork's may read at most. */
function addToken(
  { github, run }: WorkflowWorld,
  job: string,
  permissions: Readonly<Record<string, "read" | "write">>,
) {
  const token = `token-of-${job}`;
  const fork = run.event === "pull_request" && run.headRepository !== `${github.owner}/${github.repo}`;
  const given = Object.entries(PERMISSIONS).map(([name, key]) => {
    const access = permissions[name] ?? "none";
    return [key, fork && access === "write" ? "read" : access];
  });
  github.addToken(token, {
    login: "github-actions[bot]",
    kind: "installation",
    permissions: Object.fromEntries(given),
  });
  return token;
}

function checkOut(
  { repository, event, github }: WorkflowWorld,
  workspace: string,
  depth: unknown,
  { ref, path }: Readonly<Record<string, unknown>>,
): void {
  const source = `file://${repository}`;
  const shallow = depth === 0 ? [] : ["--depth", String(depth ?? 1)];
  const commit = /^[0-9a-f]{40}$/.test(String(ref)) ? String(ref) : "HEAD";
  const branch = ref === undefined || commit === ref ? [] : ["--branch", String(ref)];
  git(workspace, "clone", "--quiet", "--no-local", ...shallow, ...branch, source, String(path ?? "."));
  if (path !== undefined) return;
  // What actions/checkout leaves: no branch of its own for a pull request, and for a commit.
  if (event.name === "pull_request" || commit !== "HEAD") git(workspace, "checkout", "--quiet", "--detach", commit);
  git(workspace, "remote", "set-url", "origin", `https://github.invalid/${github.owner}/${github.repo}`);
}

/** What actions/checkout is given. */
function evaluated(given: Readonly<Record<string, unknown>>, contexts: Contexts): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === "string" ? evaluateText(value, contexts) : value,
    ]),
  );
}

function inputsOf(given: Readonly<Record<string, unknown>>, contexts: Contexts): Record<string, string> {
  const defaults = Object.entries(readAction().inputs).map(([name, one]) => [name, one.default ?? ""]);
  const all = { ...Object.fromEntries(defaults), ...given } as Record<string, unknown>;
  const values = Object.entries(all).map(([name, value]) => [
    name,
    String(evaluateText(String(value), contexts) ?? ""),
  ]);
  return Object.fromEntries(values) as Record<string, string>;
}

async function runOwnStep(
  name: string,
  inputs: Readonly<Record<string, string>>,
  workspace: string,
  world: WorkflowWorld,
): Promise<JobEnd> {
  const { github, run, event } = world;
  const env = { ...(await github.jobEnv(run, event)), ...github.runtimeEnv(run.id) };
  const action = startAction(world.inputs(inputs), { cwd: workspace, env });
  const { code, stdout, stderr } = await action.ended;
  const { outputs, summary } = action;
  return ended(name, code === 0 ? "success" : "failure", { outputs, summary, log: stdout + stderr });
}

function githubContext({ github, run, event }: WorkflowWorld): Readonly<Record<string, unknown>> {
  return {
    event_name: event.name,
    event: event.payload,
    repository: `${github.owner}/${github.repo}`,
    repository_owner: github.owner,
    ref: event.ref,
    sha: run.headSha,
    workflow: "Benchmark",
    run_attempt: String(run.attempt),
  };
}

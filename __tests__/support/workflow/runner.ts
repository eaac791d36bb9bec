/**
 * A runner of workflows for tests: jobs in the order of `needs`, `if`, matrices, permissions and expressions as GitHub has
 * them; our own steps run the committed bundle on the double of GitHub. Checkouts are real clones. Other steps are refused.
 */
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { startAction } from "../action.js";
import type { GitHubDouble, StoredRun } from "../github/double.js";
import { git } from "../repository.js";
import { readAction, type Workflow, type WorkflowJob } from "../workflows.js";
import { type Contexts, evaluateText, isTrue } from "./expressions.js";

const OURS = "org/server-bench@v1";
/** GitHub Pages are GitHub's; Python is the tests' own, and Valgrind CI's; a test of its own runs the push of release.yml. */
const LEFT_OUT = [
  /^actions\/(?:upload-pages-artifact|deploy-pages|setup-python)@/,
  /^git push origin HEAD:[\w-]+$/m,
  /^sudo apt-get update && sudo apt-get install --yes --no-install-recommends valgrind$/,
];
/** As GitHub names the permissions of a token, and as the double does. */
const PERMISSIONS = { contents: "contents", actions: "actions", issues: "issues", "pull-requests": "pullRequests" };

const matrixSchema = v.object({ include: v.array(v.record(v.string(), v.unknown())) });

type Texts = Readonly<Record<string, string>>;

export interface WorkflowRun {
  readonly github: GitHubDouble;
  readonly run: StoredRun;
  readonly event: { readonly name: string; readonly payload: Readonly<Record<string, unknown>>; readonly ref?: string };
  /** What a checkout clones: its HEAD. */
  readonly repository: string;
  /** For clones. */
  readonly temp: string;
  /** Makes the load tiny; the rest is the workflow's own. */
  readonly inputs: (inputs: Texts) => Texts;
  /** Of a job: its runner never came back, or its clone has no history, whatever the workflow asks for. */
  readonly fault: (shard: string) => "lost" | "shallow" | undefined;
}

interface JobState {
  readonly name: string;
  readonly result: "success" | "failure" | "skipped";
  readonly outputs: Texts;
}

export interface JobEnd extends JobState {
  /** Of its own step. */
  readonly log: string;
  readonly summary: string;
}

/** Every job of the workflow, a job of a matrix once for each combination. */
export async function runJobs(workflow: Workflow, run: WorkflowRun): Promise<readonly JobEnd[]> {
  const ends: JobEnd[] = [];
  for (const [name, job] of Object.entries(workflow.value.jobs)) {
    const given = { github: githubContext(run), inputs: run.event.payload.inputs ?? {} };
    const { starts, contexts } = startOf(job, ends, given);
    if (!starts) ends.push(ended(name, "skipped"));
    const combinations = starts ? matrixOf(job, contexts) : [];
    for (const matrix of combinations) ends.push(await runSteps(name, job, run, { ...contexts, matrix }));
  }
  return ends;
}

/** Whether the job runs after those that it needs, and what its expressions see of them. Of a matrix: failed when one of them failed. */
export function startOf(job: WorkflowJob, earlier: readonly JobState[], given: Contexts) {
  const needed = job.needs.map((need) => {
    const own = earlier.filter(({ name }) => name === need);
    const end = own.find(({ result }) => result === "failure") ?? own[0];
    // The examples list their jobs in the order of their needs.
    if (end === undefined) throw new Error(`a job comes before the job ${need}, which it needs`);
    return end;
  });
  const needs = Object.fromEntries(needed.map(({ name, result, outputs }) => [name, { result, outputs }]));
  const contexts: Contexts = { ...given, needs };
  const failed = needed.some(({ result }) => result !== "success");
  return { starts: isTrue(job.if, contexts, { failed, cancelled: false }), contexts };
}

function matrixOf({ strategy }: WorkflowJob, contexts: Contexts): readonly Contexts[] {
  return strategy ? v.parse(matrixSchema, evaluateText(String(strategy.matrix), contexts)).include : [{}];
}

function ended(name: string, result: JobEnd["result"], more: Partial<JobEnd> = {}): JobEnd {
  return { name, result, outputs: {}, log: "", summary: "", ...more };
}

async function runSteps(
  name: string,
  { permissions, outputs, steps, "runs-on": labels }: WorkflowJob,
  run: WorkflowRun,
  contexts: Contexts & { readonly matrix: Contexts },
): Promise<JobEnd> {
  const fault = run.fault(String(contexts.matrix.shard ?? ""));
  if (fault === "lost") return ended(name, "failure");
  const workspace = mkdtempSync(join(run.temp, "workspace-"));
  const seen = { ...contexts, github: { ...githubContext(run), token: addToken(run, name, permissions) } };
  let own = ended(name, "success");
  const ofSteps: Record<string, Pick<JobEnd, "outputs">> = {};
  for (const { id = "", uses = "", run: shell = "", with: given } of steps) {
    const inputs = evaluated(given, seen);
    if (LEFT_OUT.some((one) => one.test(uses || shell))) continue;
    if (uses.startsWith("actions/checkout@"))
      checkOut(run, workspace, fault ? { ...inputs, "fetch-depth": 1 } : inputs);
    else if (uses === OURS) {
      own = await runOwnStep(
        name,
        inputs,
        { workspace, own: labels.includes("self-hosted"), shallow: fault === "shallow" },
        run,
      );
      ofSteps[id] = own;
    } else throw new Error(`the job ${name} has a step that the tests cannot run: ${uses || shell}`);
  }
  const ofJob = evaluated(outputs, { steps: ofSteps }) as Texts;
  return { ...own, outputs: { ...own.outputs, ...ofJob } };
}

function evaluated(given: Readonly<Record<string, unknown>>, contexts: Contexts): Record<string, unknown> {
  const valued = (value: unknown) => (typeof value === "string" ? evaluateText(value, contexts) : value);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, valued(value)]));
}

/** As GitHub gives it to the job: a fork's may read at most. */
function addToken({ github, run }: WorkflowRun, job: string, given: WorkflowJob["permissions"]): string {
  const fork = run.event === "pull_request" && run.headRepository !== `${github.owner}/${github.repo}`;
  const accesses = Object.entries(PERMISSIONS).map(([name, key]) => {
    const access = given[name] ?? "none";
    return [key, fork && access === "write" ? "read" : access];
  });
  const token = `token-of-${job}`;
  const permissions = Object.fromEntries(accesses);
  github.addToken(token, { login: "github-actions[bot]", kind: "installation", permissions });
  return token;
}

function checkOut({ repository, event, github }: WorkflowRun, workspace: string, given: Record<string, unknown>): void {
  const { ref, path, "fetch-depth": depth = 1 } = given;
  const isCommit = /^[0-9a-f]{40}$/.test(String(ref));
  const shallow = depth === 0 ? [] : ["--depth", String(depth)];
  const branch = ref === undefined || isCommit ? [] : ["--branch", String(ref)];
  const source = `file://${repository}`;
  git(workspace, "clone", "--quiet", "--no-local", ...shallow, ...branch, source, String(path ?? "."));
  if (path !== undefined) return;
  // What actions/checkout leaves: no branch of its own for a pull request, and for a commit.
  if (event.name === "pull_request" || isCommit)
    git(workspace, "checkout", "--quiet", "--detach", isCommit ? String(ref) : "HEAD");
  git(workspace, "remote", "set-url", "origin", `https://github.invalid/${github.owner}/${github.repo}`);
}

async function runOwnStep(
  name: string,
  given: Readonly<Record<string, unknown>>,
  { workspace, own, shallow }: { readonly workspace: string; readonly own: boolean; readonly shallow: boolean },
  { github, run, event, inputs, repository }: WorkflowRun,
): Promise<JobEnd> {
  const defaults = Object.entries(readAction().inputs).map(([key, one]) => [key, one.default ?? ""]);
  // The default of `token` is an expression.
  const contexts = { github: { token: `token-of-${name}` } };
  const all = { ...evaluated(Object.fromEntries(defaults), contexts), ...given };
  const texts = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, String(value ?? "")]));
  const machine = own ? { RUNNER_ENVIRONMENT: "self-hosted" } : {};
  // Of a pull request GitHub names its own merge, which is what is checked out.
  const isMerge = event.name === "pull_request" && existsSync(join(workspace, ".git"));
  const checkedOut = isMerge ? { GITHUB_SHA: git(workspace, "rev-parse", "HEAD") } : {};
  const env = { ...(await github.jobEnv(run, event)), ...github.runtimeEnv(run.id), ...machine, ...checkedOut };
  // Where the history cannot be had, it cannot be fetched either.
  const served = shallow ? {} : { repository: `file://${repository}` };
  const action = startAction(inputs(texts), { cwd: workspace, env, ...served });
  const { code, stdout, stderr } = await action.ended;
  const { outputs, summary } = action;
  return ended(name, code === 0 ? "success" : "failure", { outputs, summary, log: stdout + stderr });
}

function githubContext({ github, run, event }: WorkflowRun): Contexts {
  return {
    event_name: event.name,
    event: event.payload,
    repository: `${github.owner}/${github.repo}`,
    repository_owner: github.owner,
    run_attempt: String(run.attempt),
  };
}

/**
 * The workflows to paste, from examples/ and from the pages. Their inputs, outputs and scenario sets exist, and code of a
 * stranger gets neither a token that can write nor a maintainer's machine.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { makeRequest } from "../../src/actions/bench/request.js";
import { readInputs } from "../../src/actions/inputs.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import {
  filesShownIn,
  ROOT,
  readAction,
  type Step,
  stepsOf,
  type Workflow,
  type WorkflowJob,
  workflowsIn,
  workflowsShown,
} from "../support/workflows.js";

const OURS = "org/server-bench@v1";
/** What a job of the matrix would get. */
const MATRIX: Readonly<Record<string, string>> = { scenarios: "interfaces/rsgi-bytes,files", shard: "1/4" };

/** What bench-command.yml would give. */
const REQUEST = JSON.stringify(
  makeRequest({
    ...{ pullRequest: 7, sha: "a".repeat(40), base: "b".repeat(40), fork: false, arguments: [], key: "request" },
    ...{ comment: 1, by: "maint", replace: false },
  }),
);

const action = readAction();
const examples = workflowsIn("examples");
const pasted = [...examples, ...workflowsShown()];
const all = [...pasted, ...workflowsIn(".github/workflows")];

const ourSteps = (workflow: Workflow) => stepsOf(workflow).filter(({ uses }) => uses === OURS);

function named(file: string): Workflow {
  const found = examples.find((workflow) => workflow.file === join("examples", file));
  if (!found) throw new Error(`there is no examples/${file}`);
  return found;
}

const OWN_REPOSITORY = "github.event.pull_request.head.repo.full_name == github.repository";
const FORK_ONLY = "github.event.pull_request.head.repo.full_name != github.repository";

/** Runs only where the condition holds, itself or through a job that it needs. */
function isHeldBy(condition: string, one: WorkflowJob, jobs: Readonly<Record<string, WorkflowJob>>): boolean {
  return (
    (one.if ?? "").includes(condition) ||
    one.needs.some((name) => {
      const needed = jobs[name];
      return needed !== undefined && isHeldBy(condition, needed, jobs);
    })
  );
}

/** An input as the action would get it. */
function inputOf(step: Step) {
  return (name: string): string => {
    const value = String(step.with[name] ?? action.inputs[name]?.default ?? "");
    return value
      .replace(/^\$\{\{ inputs\.request \}\}$/, REQUEST)
      .replace(/^\$\{\{ matrix\.(\w+) \}\}$/, (_, key: string) => MATRIX[key] ?? "")
      .replaceAll(/\$\{\{ github\.(?:repository_owner|event\.repository\.name) \}\}/g, "octo");
  };
}

test("the action runs on the Node that runners have, from the committed bundle", () => {
  expect(action.runs.using).toBe("node24");
  expect(existsSync(join(ROOT, action.runs.main))).toBe(true);
});

test("README shows a workflow to paste", () => {
  expect(pasted.map(({ file }) => file)).toContainEqual(expect.stringMatching(/^README\.md:\d+$/));
});

describe.each(pasted.map((workflow) => [workflow.file, workflow] as const))("%s", (_, workflow) => {
  it("uses the action, with inputs that it has and values that it takes", () => {
    expect(ourSteps(workflow)).not.toEqual([]);
    for (const step of ourSteps(workflow)) {
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
      expect(() => readInputs(inputOf(step), ROOT)).not.toThrow();
    }
  });

  it("reads outputs that the action has", () => {
    const ids = new Set(ourSteps(workflow).flatMap(({ id }) => id ?? []));
    const others = new Set(stepsOf(workflow).flatMap(({ id, uses }) => (uses === OURS ? [] : (id ?? []))));
    const read = [...workflow.text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)];
    for (const [, id = "", output = ""] of read.filter(([, step = ""]) => !others.has(step))) {
      expect(ids).toContain(id);
      expect(Object.keys(action.outputs)).toContain(output);
    }
  });

  it("names scenarios that are there", async () => {
    await using scenarios = await ownScenarios(workflow);
    for (const step of ourSteps(workflow)) {
      const input = inputOf(step);
      if (input("command") === "report") continue;
      const plan = await planRun({
        ...{
          root: ROOT,
          cwd: ROOT,
          cores: 2,
          selectors: [input("scenarios")],
          profile: input("profile") || "standard",
        },
        servers: input("servers").split("\n").filter(Boolean),
        ...(input("scenarios-dir") === "" ? {} : { scenarios: scenarios.folder }),
      });
      expect(rowsOf(plan)).not.toEqual([]);
    }
  });
});

/** The scenario files that the comment of an example shows: "# benchmarks/NAME:" and the lines set in below it. */
async function ownScenarios({ text }: Workflow) {
  const checkout = await mkdtemp(join(tmpdir(), "server-bench-test-"));
  const folder = join(checkout, "benchmarks");
  await mkdir(folder);
  for (const [name, content] of Object.entries(filesShownIn(text))) await writeFile(join(checkout, name), content);
  return { folder, [Symbol.asyncDispose]: () => rm(checkout, { recursive: true }) };
}

/** What README shows: its readers paste ten lines at most. The other examples have what a careful reader adds. */
const shortest = named("pull-request.yml").text.replace(/^(?:#.*\n)+/, "");
const isToPaste = ({ text }: Workflow) => text.endsWith(shortest);

test("the workflow to paste has ten lines at most, and one job whose token writes nothing but comments", () => {
  expect(shortest.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
  expect(shortest).not.toContain("with:");
  const jobs = Object.values(named("pull-request.yml").value.jobs);
  expect(jobs.map(isShortest)).toEqual([true]);
  expect(pasted.filter(isToPaste).map(({ file }) => file)).toContainEqual(expect.stringMatching(/^README\.md:/));
});

const careful = all.filter((workflow) => !isToPaste(workflow));

describe.each(careful.map((workflow) => [workflow.file, workflow] as const))("%s", (_, workflow) => {
  it("pins every other action by its commit, and names its version", () => {
    const others = [...workflow.text.matchAll(/uses: (.*)/g)].filter(([, uses]) => !uses?.startsWith(OURS));
    for (const [, uses] of others) expect(uses).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("gives no permission to all jobs, and each job its own", () => {
    expect(workflow.value.permissions).toEqual({});
    expect(workflow.value.on).not.toHaveProperty("pull_request_target");
  });

  it("bounds the time of every job, and leaves no token in a checkout", () => {
    for (const job of Object.values(workflow.value.jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
    for (const step of stepsOf(workflow).filter(({ uses }) => uses?.startsWith("actions/checkout@")))
      expect(step.with["persist-credentials"]).toBe(false);
  });

  it("puts no expression into a shell", () => {
    for (const { run } of stepsOf(workflow)) expect(run ?? "").not.toContain("${{");
  });
});

test("all pins of an action are the same commit", () => {
  const pins = new Map<string, Set<string>>();
  for (const [, name = "", pin = ""] of all.flatMap(({ text }) => [...text.matchAll(/uses: (\S+)@([0-9a-f]{40}.*)/g)]))
    pins.set(name, (pins.get(name) ?? new Set()).add(pin));
  for (const [name, commits] of pins) expect([name, commits.size]).toEqual([name, 1]);
});

describe.each(pasted.map((workflow) => [workflow.file, workflow] as const))("%s", (_, workflow) => {
  const { on, jobs } = workflow.value;
  const ours = Object.values(jobs).flatMap((job) =>
    job.steps.filter((step) => step.uses === OURS).map((step) => ({ job, step, input: inputOf(step) })),
  );
  const measuring = ours.filter(({ input }) => input("command") === "run");
  const releasing = ours.filter(({ input }) => input("command") === "release" && input("measure") !== "false");

  it("ends a step that measures before its job: GitHub would call the job cancelled, and nothing would be reported", () => {
    for (const { job, step } of isToPaste(workflow) ? [] : [...measuring, ...releasing]) {
      expect(step["timeout-minutes"]).toBeGreaterThan(0);
      expect(job["timeout-minutes"]).toBeGreaterThanOrEqual(Number(step["timeout-minutes"]) + 5);
    }
  });

  it("leaves a step on an own machine time for the wait and the budget", () => {
    const own = measuring.filter(({ job, input }) => job["runs-on"].includes("self-hosted") && input("budget") !== "");
    for (const { step, input } of own)
      expect(step["timeout-minutes"]).toBeGreaterThanOrEqual(Number(input("budget")) + Number(input("wait")) + 15);
  });

  it("asks for the right to read stored results only where its runs store some that count", () => {
    const stores = ["push", "schedule"].some((event) => event in on);
    for (const { job } of measuring)
      if (!stores && !isShortest(job)) expect(job.permissions).toEqual({ contents: "read" });
  });
});

describe("the pair for forks", () => {
  const measure = named("fork-measure.yml");
  const report = named("fork-report.yml");

  it("runs the pull request's code with a token that can only read", () => {
    for (const { permissions } of Object.values(measure.value.jobs))
      expect(Object.values(permissions)).not.toContain("write");
    expect(ourSteps(measure).map((step) => step.with.comment)).toEqual([false, false]);
  });

  it("measures own branches and forks alike, on different machines", () => {
    const { measure: own, "measure-fork": fork } = measure.value.jobs;
    expect(own?.["runs-on"]).toEqual(["self-hosted", "bench"]);
    expect(fork?.["runs-on"]).toEqual(["self-hosted", "untrusted"]);
    const [ours, theirs] = ourSteps(measure);
    expect(theirs?.with).toEqual({ ...ours?.with, "allow-forks": true });
  });

  it("writes with a token where nothing is checked out and no shell runs", () => {
    expect(report.value.on).toMatchObject({ workflow_run: { workflows: [measure.value.name] } });
    expect(stepsOf(report)).toEqual([expect.objectContaining({ uses: OURS, with: { command: "report" } })]);
  });
});

describe("the pair for requests", () => {
  const command = named("bench-command.yml");
  const expression = (text: string) => `\${{ ${text} }}`;
  const { jobs, concurrency, ...measure } = named("bench-measure.yml").value;

  it("answers comments without a checkout, without a shell, and never on an edit", () => {
    expect(command.value.on).toEqual({ issue_comment: { types: ["created"] }, pull_request: { types: ["labeled"] } });
    expect(stepsOf(command)).toEqual([expect.objectContaining({ uses: OURS })]);
    expect(stepsOf(command)[0]?.with).toMatchObject({ command: "dispatch", workflow: "bench-measure.yml" });
    expect(command.text.match(/comment\.body/g)).toHaveLength(1);
  });

  it("measures the commit of the request, with a token that can only read, forks on a machine of their own", () => {
    for (const [name, label, fork] of [
      ["measure", "bench", "!"],
      ["measure-fork", "untrusted", ""],
    ] as const) {
      const job = jobs[name];
      expect(job?.permissions).toEqual({ contents: "read" });
      expect(job?.["runs-on"]).toEqual(["self-hosted", label]);
      expect(job?.if).toBe(expression(`${fork}fromJSON(inputs.request).fork`));
      expect(job?.steps[0]?.with.ref).toBe(expression("fromJSON(inputs.request).sha"));
      expect(job?.steps[1]?.with).toMatchObject({ request: expression("inputs.request"), comment: false });
    }
  });

  it("lets one request of a pull request and key run, under the name by which it is cancelled", () => {
    expect(concurrency).toEqual({
      group: expression("fromJSON(inputs.request).title"),
      "cancel-in-progress": expression("fromJSON(inputs.request).replace"),
    });
    expect(measure["run-name"]).toBe(expression("fromJSON(inputs.request).title"));
  });

  it("reports in a job that checks nothing out", () => {
    expect(jobs.report?.steps.map((step) => step.with)).toEqual([
      { command: "report", request: expression("inputs.request") },
    ]);
  });
});

describe("the release", () => {
  const { jobs } = named("release.yml").value;
  const writes = (one: WorkflowJob | undefined) =>
    Object.entries(one?.permissions ?? {}).flatMap(([name, access]) => (access === "write" ? [name] : []));

  it("is measured with a token that can only read, by the only job on a maintainer's machine", () => {
    expect(jobs.measure?.permissions).toEqual({ contents: "read" });
    const hosted = Object.entries(jobs).filter(([, one]) => one["runs-on"].includes("self-hosted"));
    expect(hosted.map(([name]) => name)).toEqual(["measure"]);
    expect(jobs.measure?.steps.at(-1)?.with).toMatchObject({ command: "release", "update-release": false });
  });

  it("is published by jobs that measure nothing and check out nothing but the pages", () => {
    expect(writes(jobs.publish)).toEqual(["contents"]);
    // Two tags at once would push two branches with one page each.
    expect(jobs.publish).toMatchObject({ concurrency: { group: "benchmark-pages", "cancel-in-progress": false } });
    const [checkout, own] = jobs.publish?.steps ?? [];
    expect(checkout?.with).toEqual({ ref: "benchmark-pages", path: "site", "persist-credentials": false });
    expect(own?.with).toMatchObject({ command: "release", measure: false, site: "site" });
    expect(jobs.pages?.permissions).toEqual({ contents: "read", pages: "write", "id-token": "write" });
    const [pages, ...others] = jobs.pages?.steps ?? [];
    expect(pages?.with).toEqual(checkout?.with);
    expect(others.map(({ uses }) => uses?.replace(/@.*/, ""))).toEqual([
      "actions/upload-pages-artifact",
      "actions/deploy-pages",
    ]);
  });

  it("is deployed in every attempt of the run: one name for all attempts would stop the deployment", () => {
    const [, upload, deploy] = jobs.pages?.steps ?? [];
    expect(upload?.with).toMatchObject({ path: "site" });
    expect(upload?.with.name).toMatch(/^github-pages-\$\{\{ github\.run_attempt \}\}$/);
    expect(deploy?.with).toEqual({ artifact_name: upload?.with.name });
  });

  it("is deployed after the deployment that runs: GitHub refuses a second one", () => {
    // The name that GitHub's own starter workflows for Pages have: a group holds for the whole repository.
    expect(jobs.pages).toMatchObject({ concurrency: { group: "pages", "cancel-in-progress": false } });
  });
});

/** The job of pull-request.yml: on a machine that is gone after it, with a token that can write nothing but comments. */
function isShortest({ permissions, steps, "runs-on": labels }: WorkflowJob): boolean {
  return (
    labels.join() === "ubuntu-latest" &&
    JSON.stringify(permissions) === JSON.stringify({ contents: "read", "pull-requests": "write" }) &&
    steps.map(({ uses }) => uses?.split("@")[0]).join() === "actions/checkout,org/server-bench"
  );
}

describe.each(pasted.map((workflow) => [workflow.file, workflow] as const))("%s", (_, { value: { on, jobs } }) => {
  const onPullRequests = "pull_request" in on ? Object.values(jobs) : [];

  it("keeps forks off a self-hosted runner, but for one that is only theirs", () => {
    for (const job of onPullRequests.filter((one) => one["runs-on"].includes("self-hosted"))) {
      const forks = job["runs-on"].includes("untrusted");
      expect(isHeldBy(forks ? FORK_ONLY : OWN_REPOSITORY, job, jobs)).toBe(true);
      // A bare `self-hosted` is every machine, that of the forks too.
      expect(job["runs-on"]).toContain(forks ? "untrusted" : "bench");
    }
  });

  it("gives no token that can write to a job that has the pull request's code, but for the shortest workflow's", () => {
    for (const job of onPullRequests) {
      const writes = Object.values(job.permissions).includes("write");
      const ours = job.steps.filter(({ uses }) => uses === OURS);
      if (writes && isShortest(job)) expect(ours).toHaveLength(1);
      else if (writes) expect([["report"], ["dispatch"]]).toContainEqual(job.steps.map((step) => step.with.command));
      else
        for (const step of ours)
          expect([step.with.command ?? "run", step.with.comment]).not.toEqual(["run", undefined]);
    }
  });
});

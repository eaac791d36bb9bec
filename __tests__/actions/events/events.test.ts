/**
 * Workflows to paste on their events: through dist/action.js, with the workflow's own inputs, permissions and conditions.
 * Only the load is tiny. Each event runs once, and each state of the world once: what else they decide, functions decide that
 * have tests of their own (actions/against, github/baseline, workflows/conditions). events.golden.md is what was found.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../support/cli.js";
import { FALSE_VERDICT } from "../../support/false-verdict.js";
import { GitHubDouble, type StoredRun } from "../../support/github/double.js";
import { eventsPage, jobsOf, leadOf, type Observed } from "../../support/workflow/observed.js";
import { type JobEnd, runJobs, type WorkflowRun } from "../../support/workflow/runner.js";
import { type EventCase, keepResults, makeWorld, STATES, startRun } from "../../support/workflow/world.js";
import { workflowsIn } from "../../support/workflows.js";

const TIMEOUT_MS = 240_000;
const EXAMPLES = new Map(workflowsIn("examples").map((workflow) => [basename(workflow.file), workflow]));

type Case = readonly [file: string, event: string, state: EventCase["state"]];

/** Each line is a world: its cases follow each other there. In the order of the page. */
const WORLDS: readonly (readonly Case[])[] = [
  [["pull-request.yml", "pull_request", "first"]],
  [["pull-request.yml", "pull_request", "fork"]],
  [["server-repository.yml", "push", "second-attempt"]],
  [["server-repository.yml", "pull_request", "cancelled-before"]],
  [["server-repository.yml", "pull_request", "fork"]],
  [["server-repository.yml", "merge_group", "no-history"]],
  [["app.yml", "pull_request", "changes-load"]],
  [["app.yml", "merge_group", "adds-scenarios"]],
  [["fork-measure.yml", "push", "first"]],
  [["fork-measure.yml", "merge_group", "no-history"]],
  [
    ["fork-measure.yml", "pull_request", "fork"],
    ["fork-report.yml", "workflow_run", "fork"],
  ],
  [["matrix.yml", "pull_request", "shard-lost"]],
  [["matrix.yml", "pull_request", "breaks-scenarios"]],
  [["matrix.yml", "merge_group", "shard-without-base"]],
  [["hosted.yml", "pull_request", "first"]],
  [["hosted.yml", "merge_group", "breaks-scenarios"]],
  [
    ["nightly.yml", "schedule", "first"],
    ["nightly.yml", "schedule", "baseline"],
    ["nightly.yml", "workflow_dispatch", "other-machine"],
  ],
  [["bench-command.yml", "issue_comment", "asked-by-stranger"]],
  [
    ["bench-command.yml", "issue_comment", "asked-for-fork"],
    ["bench-measure.yml", "workflow_dispatch", "asked-for-fork"],
  ],
  [
    ["bench-command.yml", "pull_request", "asked"],
    ["bench-measure.yml", "workflow_dispatch", "asked-elsewhere"],
  ],
  [["release.yml", "push", "no-release"]],
  [["release.yml", "release", "first-release"]],
];

const observed: Observed[] = [];

describe.each(WORLDS.map((world) => [world.map(titleOf).join(", then "), world] as const))("%s", (_, cases) => {
  it("ends well, keeps its results, and says what it found", {
    timeout: TIMEOUT_MS,
    retry: FALSE_VERDICT,
  }, async () => {
    observed.push(...(await observeWorld(cases.map(([file, event, state]) => ({ file, event, state })))));
  });
});

it("covers every workflow and every event that it declares", () => {
  const declared = [...EXAMPLES].flatMap(([file, { value }]) =>
    Object.keys(value.on).map((event) => `${file} ${event}`),
  );
  const covered = WORLDS.flat().map(([file, event]) => `${file} ${event}`);
  expect([...new Set(covered)].sort()).toEqual(declared.sort());
});

it("is events.golden.md", async ({ skip }) => {
  // A part of the table says nothing of the whole.
  if (observed.length < WORLDS.flat().length) skip("not every case ran");
  await expect(eventsPage(observed)).toMatchFileSnapshot(join(import.meta.dirname, "events.golden.md"));
});

function titleOf([file, event, state]: Case): string {
  return `${file} on ${event}: ${STATES[state]}`;
}

async function observeWorld(cases: readonly EventCase[]): Promise<readonly Observed[]> {
  await using github = await GitHubDouble.start();
  const [first] = cases;
  if (!first) return [];
  const world = makeWorld(github, tempFolder(), first);
  const seen: Observed[] = [];
  let before: { readonly run: StoredRun; readonly ends: readonly JobEnd[] } | undefined;
  for (const one of cases) {
    const path = before?.ends[0]?.outputs["results-path"];
    if (before && path && one.file === "nightly.yml") keepResults(world, before.run, path, one);
    const stored = github.state.archives.length;
    const started = startRun(world, one, before?.run);
    const ends = await runCase(one, started);
    const shown = one.event === "workflow_run" && before ? before.run : started.run;
    seen.push({ ...one, ...observe(ends, github, shown, stored) });
    before = { run: started.run, ends };
  }
  return seen;
}

async function runCase({ file, state }: EventCase, started: WorkflowRun): Promise<readonly JobEnd[]> {
  const workflow = EXAMPLES.get(file);
  if (!workflow) throw new Error(`there is no example ${file}`);
  const ends = await runJobs(workflow, started);
  const logs = ends.map(({ log }) => log).join("\n");
  expect(logs).not.toContain("defect");
  const failed = ends.filter(({ result }) => result === "failure");
  expect(failed, logs).toHaveLength(["shard-lost", "asked-elsewhere", "breaks-scenarios"].includes(state) ? 2 : 0);
  for (const end of ends) expectRepeatable(end);
  return ends;
}

/** The command that a reader is shown to repeat a run does not end with the error that there is nothing to compare. */
function expectRepeatable({ outputs }: JobEnd): void {
  const path = outputs["results-path"] ?? "";
  if (!existsSync(path)) return;
  const { run, comparison } = JSON.parse(readFileSync(path, "utf8"));
  if (comparison === undefined) expect(run.command.join(" ")).not.toMatch(/ --(?:base|confirm) /);
}

function observe(ends: readonly JobEnd[], github: GitHubDouble, run: StoredRun, before: number) {
  // A job that only deploys says nothing.
  const last = ends.findLast(({ result, summary }) => result !== "skipped" && summary !== "");
  const ours = github.commentsOf(7).filter(({ body }) => body.includes(`run=${run.id} `));
  expect(ours.length).toBeLessThanOrEqual(1);
  const comment = ours[0]?.body ?? github.state.releases[0]?.body?.replace(/^## What's new\r\n/, "") ?? "";
  const leads = { comment: leadOf(comment), summary: leadOf(last?.summary ?? "") };
  // Whoever looks finds a verdict, or the reason why there is none.
  for (const lead of Object.values(leads)) {
    expect(lead?.says, `${comment}${last?.summary}`).not.toBe("other");
    if (lead?.says === "figures") expect(lead.notes).not.toEqual([]);
  }
  return { jobs: jobsOf(ends), stored: github.state.archives.slice(before).map(({ name }) => name), ...leads };
}

/**
 * Every workflow to paste, on every event that it declares, in the states of the world that the event can find: through
 * dist/action.js, with the workflow's own inputs, permissions and conditions. Only the load is tiny. docs/events.md is the
 * table that comes out.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { GitHubDouble } from "../support/github/double.js";
import { CASES } from "../support/workflow/cases.js";
import { eventsPage, jobsOf, leadOf, type Observed } from "../support/workflow/observed.js";
import { type JobEnd, runJobs } from "../support/workflow/runner.js";
import {
  ANCHORED,
  hasStored,
  makeWorld,
  STATES,
  type StateName,
  type StoredResults,
} from "../support/workflow/world.js";
import { ROOT, type Workflow, workflowsIn } from "../support/workflows.js";

const TIMEOUT_MS = 240_000;
const examples = new Map(workflowsIn("examples").map((workflow) => [basename(workflow.file), workflow]));
const observed: Observed[] = [];

const all = Object.entries(CASES).flatMap(([file, events]) =>
  Object.entries(events).flatMap(([event, states]) =>
    states.map((state) => [file, event, STATES[state], state] as const),
  ),
);

it("covers every workflow and every event that it declares", () => {
  const declared = [...examples].map(([file, { value }]) => [file, Object.keys(value.on).sort()]);
  const covered = Object.entries(CASES).map(([file, events]) => [file, Object.keys(events).sort()]);
  expect(Object.fromEntries(covered)).toEqual(Object.fromEntries(declared));
});

describe.each(all)("%s on %s: %s", (file, event, _, state) => {
  it("ends well, keeps its results, and says what it found", { timeout: TIMEOUT_MS }, async () => {
    await using world = await open(file, event, state);
    const before = world.github.state.artifacts.length;
    const ends =
      event === "workflow_run" ? await measureAndReport(file, world, state) : await runJobs(workflowOf(file), world);
    const logs = ends.map(({ log }) => log).join("\n");
    expect(logs).not.toContain("defect");
    expect(
      ends.filter(({ result }) => result === "failure"),
      logs,
    ).toHaveLength(state === "shard-lost" ? 1 : 0);
    const seen = observe(ends, world, before);
    observed.push({ file, event, state, ...seen });
    // Whoever looks finds a verdict, or the reason why there is none.
    for (const lead of [seen.comment, seen.summary])
      if (lead?.says === "figures") expect(lead.notes, `${JSON.stringify(seen)}\n${logs}`).not.toEqual([]);
    for (const lead of [seen.comment, seen.summary])
      expect(
        ["verdicts", "figures", state.endsWith("other-machine") ? "not comparable" : undefined, undefined],
        logs,
      ).toContain(lead?.says);
  });
});

it("is the table of docs/events.md", async ({ skip }) => {
  // A part of the table says nothing of the whole.
  if (observed.length < all.length) skip("not every case ran");
  await expect(eventsPage(observed)).toMatchFileSnapshot(join(ROOT, "docs/events.md"));
});

function workflowOf(file: string): Workflow {
  const found = examples.get(file);
  if (!found) throw new Error(`there is no example ${file}`);
  return found;
}

type World = Awaited<ReturnType<typeof open>>;

async function open(file: string, event: string, state: StateName) {
  const temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  const github = await GitHubDouble.start();
  const stored = hasStored(state) ? { stored: await storedBy(file) } : {};
  const world = makeWorld({
    github,
    temp,
    event,
    state,
    workflowFile: event === "workflow_run" ? MEASURES : file,
    rows: rowsOf(file),
    ...stored,
  });
  return {
    ...world,
    async [Symbol.asyncDispose]() {
      await github[Symbol.asyncDispose]();
      rmSync(temp, { recursive: true, force: true });
    },
  };
}

function rowsOf(file: string): string[] {
  if (file === "nightly.yml") return [ANCHORED];
  return file === "matrix.yml" ? ["one", "two"] : ["hello"];
}

const storedByFile = new Map<string, StoredResults>();

/** Results of the base branch, as the workflow itself makes them on its first push or night. */
async function storedBy(file: string): Promise<StoredResults> {
  const known = storedByFile.get(file);
  if (known) return known;
  await using world = await open(file, file === "nightly.yml" ? "schedule" : "push", "first");
  const [measured] = await runJobs(workflowOf(file), world);
  const results = JSON.parse(readFileSync(measured?.outputs["results-path"] ?? "", "utf8")) as StoredResults;
  storedByFile.set(file, results);
  return results;
}

/** The workflow whose runs the examples report. */
const MEASURES = "fork-measure.yml";

/** The first workflow measures the pull request; the second one reports when GitHub says that the first has ended. */
async function measureAndReport(file: string, world: World, state: StateName): Promise<readonly JobEnd[]> {
  const { github, run } = world;
  const pull = github.state.pulls[0];
  if (!pull) throw new Error("there is no pull request");
  const cancelled = state === "cancelled-before";
  const event = { name: "pull_request", payload: github.pullRequestEvent(pull) };
  const measured = cancelled ? [] : await runJobs(workflowOf(MEASURES), { ...world, event });
  Object.assign(run, { status: "completed", conclusion: cancelled ? "cancelled" : "success" });
  const reporting = github.addRun({
    workflowFile: file,
    event: "workflow_run",
    status: "in_progress",
    conclusion: null,
  });
  const reported = { name: "workflow_run", payload: github.workflowRunEvent(run) };
  return [...measured, ...(await runJobs(workflowOf(file), { ...world, run: reporting, event: reported }))];
}

function observe(ends: readonly JobEnd[], { github, run }: World, before: number) {
  // A job that only deploys says nothing.
  const last = ends.findLast(({ result, summary }) => result !== "skipped" && summary !== "");
  const ours = github.commentsOf(7).filter(({ body }) => body.includes(`run=${run.id} `));
  expect(ours.length).toBeLessThanOrEqual(1);
  return {
    jobs: jobsOf(ends),
    stored: github.state.artifacts.slice(before).map(({ name }) => name),
    comment: leadOf(ours[0]?.body ?? github.state.releases[0]?.body?.replace(/^## What's new\r\n/, "") ?? ""),
    summary: leadOf(last?.summary ?? ""),
  };
}

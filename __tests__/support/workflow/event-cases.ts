/**
 * Runs workflows to paste on their events, in the states of the world that the event can find: through dist/action.js, with
 * the workflow's own inputs, permissions and conditions. Only the load is tiny. What was found is a file beside the test;
 * docs/events.md is the table of all these files.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../cli.js";
import { FALSE_VERDICT } from "../false-verdict.js";
import { GitHubDouble } from "../github/double.js";
import { type Workflow, workflowsIn } from "../workflows.js";
import { makeAskedWorld } from "./asked-world.js";
import { type EventCase, MEASURES, measuredBefore } from "./cases.js";
import { jobsOf, leadOf, type Observed, observedLines } from "./observed.js";
import { type JobEnd, runJobs } from "./runner.js";
import { ANCHORED, hasStored, makeWorld, STATES, type StateName, type StoredResults } from "./world.js";

const TIMEOUT_MS = 240_000;

export const EXAMPLES: ReadonlyMap<string, Workflow> = new Map(
  workflowsIn("examples").map((workflow) => [basename(workflow.file), workflow]),
);

/** A test of each case, and one of the file with what was observed. @param file path of that file */
export function testEvents(cases: readonly EventCase[], file: string): void {
  const observed: Observed[] = [];
  let ran = 0;
  const titled = cases.map((one) => [one.file, one.event, STATES[one.state], one] as const);

  describe.each(titled)("%s on %s: %s", (_file, _event, _state, one) => {
    it("ends well, keeps its results, and says what it found", {
      timeout: TIMEOUT_MS,
      retry: FALSE_VERDICT,
    }, async () => {
      observed.push(...(await observeCase(one)));
      ran += 1;
    });
  });

  it("see what docs/events.md is made of", async ({ skip }) => {
    // A part of the table says nothing of the whole.
    if (ran < cases.length) skip("not every case ran");
    await expect(observedLines(observed)).toMatchFileSnapshot(file);
  });
}

/** Of the case, and of the one that it runs first. */
async function observeCase(one: EventCase): Promise<readonly Observed[]> {
  const { file, event, state } = one;
  await using world = await open(file, event, state);
  const before = world.github.state.archives.length;
  const measured = event === "workflow_run" ? await measure(world, state) : [];
  const earlier = measuredBefore(one);
  const first = earlier ? [{ ...earlier, ...observe(measured, world, before) }] : [];
  const ends = [
    ...measured,
    ...(event === "workflow_run" ? await report(file, world, state) : await runJobs(workflowOf(file), world)),
  ];
  const logs = ends.map(({ log }) => log).join("\n");
  expect(logs).not.toContain("defect");
  expect(
    ends.filter(({ result }) => result === "failure"),
    logs,
  ).toHaveLength(["shard-lost", "asked-elsewhere", "breaks-scenarios"].includes(state) ? 2 : 0);
  if (state === "first" && event === storingEvent(file)) keepStored(file, ends);
  for (const end of ends) expectRepeatable(end);
  const all = [...first, { ...one, ...observe(ends, world, before) }];
  for (const seen of all) expectAnswered(seen, logs);
  return all;
}

/** Whoever looks finds a verdict, or the reason why there is none. */
function expectAnswered(seen: Observed, logs: string): void {
  for (const lead of [seen.comment, seen.summary]) {
    if (lead?.says === "figures") expect(lead.notes, `${JSON.stringify(seen)}\n${logs}`).not.toEqual([]);
    expect(["verdicts", "figures", "answer", ...endsOtherwise(seen.state), undefined], logs).toContain(lead?.says);
  }
}

/** The command that a reader is shown to repeat a run does not end with the error that there is nothing to compare. */
function expectRepeatable({ outputs }: JobEnd): void {
  const path = outputs["results-path"] ?? "";
  if (!existsSync(path)) return;
  const { run, comparison } = JSON.parse(readFileSync(path, "utf8"));
  if (comparison === undefined) expect(run.command.join(" ")).not.toMatch(/ --(?:base|confirm) /);
}

function workflowOf(file: string): Workflow {
  const found = EXAMPLES.get(file);
  if (!found) throw new Error(`there is no example ${file}`);
  return found;
}

type World = Awaited<ReturnType<typeof open>>;

async function open(file: string, event: string, state: StateName) {
  const stored = hasStored(state) ? { stored: await storedBy(file) } : {};
  const temp = tempFolder();
  const github = await GitHubDouble.start();
  const world = (state.startsWith("asked") ? makeAskedWorld : makeWorld)({
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

/** What a person may find in a state instead of figures. */
function endsOtherwise(state: StateName): string[] {
  if (state.endsWith("other-machine")) return ["not comparable"];
  return state === "asked-elsewhere" || state === "breaks-scenarios" ? ["stopped"] : [];
}

function rowsOf(file: string): string[] {
  if (file === "nightly.yml") return [ANCHORED];
  return file === "matrix.yml" ? ["one", "two"] : ["hello"];
}

const storedByFile = new Map<string, StoredResults>();

/** The event on which a workflow measures the base branch. */
function storingEvent(file: string): string {
  return file === "nightly.yml" ? "schedule" : "push";
}

/** Results of the base branch, as the workflow itself makes them on its first push or night. */
async function storedBy(file: string): Promise<StoredResults> {
  const known = storedByFile.get(file);
  if (known) return known;
  await using world = await open(file, storingEvent(file), "first");
  return keepStored(file, await runJobs(workflowOf(file), world));
}

/** Reads the results before their folder is removed. */
function keepStored(file: string, [measured]: readonly JobEnd[]): StoredResults {
  const results = JSON.parse(readFileSync(measured?.outputs["results-path"] ?? "", "utf8")) as StoredResults;
  storedByFile.set(file, results);
  return results;
}

/** The first of two workflows measures the pull request. */
async function measure(world: World, state: StateName): Promise<readonly JobEnd[]> {
  const { github } = world;
  const pull = github.state.pulls[0];
  if (!pull) throw new Error("there is no pull request");
  if (state === "cancelled-before") return [];
  const event = { name: "pull_request", payload: github.pullRequestEvent(pull) };
  return await runJobs(workflowOf(MEASURES), { ...world, event });
}

/** The second one reports when GitHub says that the first has ended. */
async function report(file: string, world: World, state: StateName): Promise<readonly JobEnd[]> {
  const { github, run } = world;
  const conclusion = state === "cancelled-before" ? "cancelled" : "success";
  Object.assign(run, { status: "completed", conclusion });
  const reporting = github.addReportingRun(file);
  const event = { name: "workflow_run", payload: github.workflowRunEvent(run) };
  return await runJobs(workflowOf(file), { ...world, run: reporting, event });
}

function observe(ends: readonly JobEnd[], { github, run }: World, before: number) {
  // A job that only deploys says nothing.
  const last = ends.findLast(({ result, summary }) => result !== "skipped" && summary !== "");
  const ours = github.commentsOf(7).filter(({ body }) => body.includes(`run=${run.id} `));
  expect(ours.length).toBeLessThanOrEqual(1);
  return {
    jobs: jobsOf(ends),
    stored: github.state.archives.slice(before).map(({ name }) => name),
    comment: leadOf(ours[0]?.body ?? github.state.releases[0]?.body?.replace(/^## What's new\r\n/, "") ?? ""),
    summary: leadOf(last?.summary ?? ""),
  };
}

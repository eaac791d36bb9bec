/** Which jobs of the examples run: their `if` and `needs`, evaluated as GitHub does. No other code decides it. */
import { basename } from "node:path";
import { expect, it } from "vitest";
import { startOf } from "../support/workflow/runner.js";
import { workflowsIn } from "../support/workflows.js";

const EXAMPLES = new Map(workflowsIn("examples").map(({ file, value }) => [basename(file), value.jobs]));
const OWN = "acme/server";
const FORK = "mallory/server";

const pull = (full_name: string) => ({ pull_request: { number: 7, head: { repo: { full_name } } } });
const label = (name: string, repository: string) => ({ ...pull(repository), label: { name } });
const comment = (body: string, issue: object = { pull_request: { url: "" } }) => ({ issue, comment: { body } });
const ended = (event: string, conclusion: string) => ({ workflow_run: { event, conclusion } });
const request = (fork: boolean) => ({ request: JSON.stringify({ fork }) });

type Row = readonly [
  file: string,
  event: string,
  payload: Readonly<Record<string, unknown>>,
  runs: readonly string[],
  /** Jobs that fail. */
  failing?: readonly string[],
];

const ROWS: readonly Row[] = [
  ["pull-request.yml", "pull_request", pull(OWN), ["benchmark"]],
  ["pull-request.yml", "pull_request", pull(FORK), ["benchmark"]],
  ["server-repository.yml", "push", {}, ["measure"]],
  ["server-repository.yml", "merge_group", {}, ["measure", "report"]],
  ["server-repository.yml", "pull_request", pull(OWN), ["measure", "report"]],
  ["server-repository.yml", "pull_request", pull(OWN), ["measure", "report"], ["measure"]],
  ["server-repository.yml", "pull_request", pull(FORK), []],
  ["app.yml", "merge_group", {}, ["measure", "report"]],
  ["app.yml", "pull_request", pull(OWN), ["measure", "report"], ["measure"]],
  ["app.yml", "pull_request", pull(FORK), ["measure", "report"]],
  ["hosted.yml", "merge_group", {}, ["measure", "report"]],
  ["hosted.yml", "pull_request", pull(OWN), ["measure", "report"], ["measure"]],
  ["hosted.yml", "pull_request", pull(FORK), ["measure", "report"]],
  ["matrix.yml", "merge_group", {}, ["plan", "measure", "report"]],
  ["matrix.yml", "pull_request", pull(OWN), ["plan", "measure", "report"], ["measure"]],
  ["matrix.yml", "pull_request", pull(OWN), ["plan", "report"], ["plan"]],
  ["matrix.yml", "pull_request", pull(FORK), []],
  ["fork-measure.yml", "push", {}, ["measure"]],
  ["fork-measure.yml", "merge_group", {}, ["measure"]],
  ["fork-measure.yml", "pull_request", pull(OWN), ["measure"]],
  ["fork-measure.yml", "pull_request", pull(FORK), ["measure-fork"]],
  ...["success", "failure", "timed_out"].map(
    (conclusion): Row => ["fork-report.yml", "workflow_run", ended("pull_request", conclusion), ["report"]],
  ),
  ["fork-report.yml", "workflow_run", ended("pull_request", "cancelled"), []],
  ["fork-report.yml", "workflow_run", ended("push", "success"), []],
  ["fork-report.yml", "workflow_run", ended("merge_group", "success"), []],
  ["nightly.yml", "schedule", {}, ["measure"]],
  ["nightly.yml", "workflow_dispatch", {}, ["measure"]],
  ["bench-command.yml", "issue_comment", comment("/bench http2"), ["dispatch"]],
  ["bench-command.yml", "issue_comment", comment("Please /bench"), []],
  ["bench-command.yml", "issue_comment", comment("/bench", {}), []],
  ["bench-command.yml", "pull_request", label("bench", OWN), ["dispatch"]],
  ["bench-command.yml", "pull_request", label("bench", FORK), []],
  ["bench-command.yml", "pull_request", label("bug", OWN), []],
  ["bench-measure.yml", "workflow_dispatch", { inputs: request(false) }, ["measure", "report"]],
  ["bench-measure.yml", "workflow_dispatch", { inputs: request(false) }, ["measure", "report"], ["measure"]],
  ["bench-measure.yml", "workflow_dispatch", { inputs: request(true) }, ["measure-fork", "report"]],
  ["release.yml", "push", {}, ["measure", "publish", "pages"]],
  ["release.yml", "release", {}, ["measure", "publish", "pages"]],
  ["release.yml", "release", {}, ["measure"], ["measure"]],
];

it.for(ROWS)("%s on %s %j: %j", ([file, event_name, event, expected, failing = []]) => {
  const ends: Parameters<typeof startOf>[1][number][] = [];
  const contexts = { github: { event_name, event, repository: OWN }, inputs: event.inputs ?? {} };
  for (const [name, job] of Object.entries(EXAMPLES.get(file) ?? {})) {
    const result = failing.includes(name) ? "failure" : "success";
    ends.push({ name, result: startOf(job, ends, contexts).starts ? result : "skipped", outputs: {} });
  }
  expect(ends.flatMap(({ name, result }) => (result === "skipped" ? [] : [name]))).toEqual(expected);
});

it("has each event of each example", () => {
  const declared = workflowsIn("examples").flatMap(({ file, value }) =>
    Object.keys(value.on).map((event) => `${basename(file)} ${event}`),
  );
  expect([...new Set(ROWS.map(([file, event]) => `${file} ${event}`))].sort()).toEqual(declared.sort());
});

/** Which names of a pull request's results the report shows: those of the scenarios on the default branch. */
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ActionContext } from "../../src/actions/context.js";
import { trustIn } from "../../src/actions/trust.js";
import type { Job } from "../../src/github/job.js";
import type { Results } from "../../src/results/schema.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";
import { completed, resultsOf } from "../support/results.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WORKFLOW = ".github/workflows/bench.yml";
const OWN_SET = `title: Ours
label: Row
defaults: { server: granian, interface: asgi, request: bytes }
rows: [{ title: first, knobs: {} }]
`;

let double: GitHubDouble;
beforeEach(async () => {
  double = await GitHubDouble.start();
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

async function namesOf(results: Results, scenariosDir?: string) {
  const job = {
    ...{ owner: double.owner, repo: double.repo, defaultBranch: "main" },
    event: { kind: "workflow_run", run: { event: "pull_request", workflowFile: "bench.yml" } },
  } as Job;
  const lines: string[] = [];
  const github = quickClient(double);
  const action = {
    inputs: { scenariosDir },
    context: { root: ROOT },
    job,
    github,
    log: (line: string) => lines.push(line),
  };
  const trust = await trustIn(action as unknown as ActionContext, {
    ...{ job, github, pull: undefined },
    parts: [{ source: "a", results }],
  });
  if (trust.kind === "own" || trust.names === undefined) throw new Error("claims, with names");
  return { ...trust.names, lines };
}

const row = (id: string) => resultsOf([completed(id, "a title", 64, 1000)]);

describe("names of a pull request's results", () => {
  it("are those of the built-in scenarios, for which GitHub is not asked", async () => {
    const { rows, servers, unread } = await namesOf(row("interfaces/rsgi-bytes"));
    for (const id of ["interfaces/rsgi-bytes", "python-versions/rsgi-bytes-python-3-14t"]) expect(rows).toContain(id);
    expect(servers).toContain("uvicorn");
    expect(unread).toBeUndefined();
    expect(double.requests).toHaveLength(0);
  });

  it("and those of the folder that the measuring workflow names on the default branch", async () => {
    const workflow = (dir: string) =>
      `jobs: { measure: { steps: [{ uses: checkout }, { uses: bench, with: { scenarios-dir: "${dir}" } }] } }\n`;
    double.state.files.set(WORKFLOW, workflow("./benchmarks/")).set("benchmarks/ours.yml", OWN_SET);
    const { rows, unread } = await namesOf(row("ours/safe-to-merge"));
    expect(rows).toContain("ours/first");
    expect(rows).toContain("interfaces/rsgi-bytes");
    expect(rows).not.toContain("ours/safe-to-merge");
    expect(unread).toBeUndefined();
    double.state.files.delete(WORKFLOW);
    expect((await namesOf(row("ours/first"), "benchmarks")).unread).toContain("404");
    double.state.files.set(WORKFLOW, workflow(`\${{ inputs.dir }}`));
    expect((await namesOf(row("ours/first"))).unread).toMatch(/scenarios-dir of bench.yml is not one folder/);
  });

  it("and those of the folder that is measured where the workflow names none", async () => {
    double.state.files.set(WORKFLOW, "jobs: { benchmark: { steps: [{ uses: bench }] } }\n");
    double.state.files.set("benchmarks/compose.yml", "services: {}\n").set(".server-bench/ours.yml", OWN_SET);
    expect((await namesOf(row("ours/safe-to-merge"))).rows).toContain("ours/first");
    double.state.files.delete(".server-bench/ours.yml");
    const { rows, unread } = await namesOf(row("ours/first"));
    expect([rows.has("ours/first"), unread]).toEqual([false, undefined]);
  });

  it("are the built-in ones alone where the folder's files are wrong, and the log says so", async () => {
    double.state.files.set(WORKFLOW, "name: Benchmark\n").set("benchmarks/ours.yml", "title: [\n");
    const { rows, unread, lines } = await namesOf(row("ours/first"), "benchmarks");
    expect(rows).toContain("interfaces/rsgi-bytes");
    expect(unread).toMatch(/ours\.yml/);
    expect(lines).toEqual([expect.stringContaining("the scenarios of the default branch are not known")]);
  });
});

/** Which files the action uploads, on a double of GitHub's results service. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ActionContext } from "../../src/actions/context.js";
import { uploadResults } from "../../src/actions/upload-results.js";
import { ResultsWriter } from "../../src/commands/results-writer.js";
import { GitHubDouble } from "../support/github/double.js";
import { sampleResults } from "../support/results.js";

const RUN = 78;
let double: GitHubDouble;
let folder: string;

beforeEach(async () => {
  double = await GitHubDouble.start();
  double.addRun({ id: RUN });
  folder = await mkdtemp(join(tmpdir(), "server-bench-upload-"));
  const env = { ...double.runtimeEnv(RUN), GITHUB_REPOSITORY: "acme/server", GITHUB_RUN_ID: String(RUN) };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
  await double[Symbol.asyncDispose]();
});

it("uploads the results, the report and the page, and nothing else", async () => {
  const writer = new ResultsWriter(folder, sampleResults());
  await writer.open();
  await writer.finish({});
  await writeFile(join(folder, "secret.txt"), "no");
  const { results, resultsPath, reportPath } = writer;
  const job = { serverUrl: "https://github.com", owner: "acme", repo: "server", runId: RUN };
  const action = { job, inputs: { retentionDays: undefined }, log: () => undefined } as unknown as ActionContext;
  const uploaded = await uploadResults(action, { results, resultsPath, reportPath }, []);
  expect(uploaded).toBeDefined();
  const names = double.state.artifacts[0]?.zip.toString("latin1").match(/[\w.-]+\.(?:html|json|md|txt)/g);
  expect([...new Set(names)].sort()).toEqual(["index.html", "report.md", "results.json"]);
});

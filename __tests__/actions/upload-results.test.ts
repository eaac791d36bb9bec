/** Which files the action uploads, on a double of GitHub's results service. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ActionContext } from "../../src/actions/context.js";
import { uploadResults } from "../../src/actions/upload-results.js";
import { ResultsWriter } from "../../src/commands/results-writer.js";
import { readArchive } from "../../src/github/archive.js";
import { listResultsArtifacts } from "../../src/github/artifacts.js";
import { readResultsArtifact } from "../../src/github/read-artifact.js";
import { profileFiles } from "../../src/report/profile/files.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";
import { sampledProfile } from "../support/profile.js";
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

it("uploads the results, the report, the page and the stacks of sampled rows, and nothing else", async () => {
  const writer = new ResultsWriter(folder, sampleResults());
  await writer.open();
  const profile = sampledProfile();
  await writer.addProfile(profile);
  // Its stacks are among the results of another shard.
  await writer.addProfile({ ...profile, id: "mine/elsewhere" });
  await mkdir(join(folder, "profiles"));
  for (const name of [...Object.values(profileFiles(profile)), "profiles/old.base.txt"])
    await writeFile(join(folder, name), "main (a.py:1) 3\n");
  await writer.finish({});
  await writeFile(join(folder, "secret.txt"), "no");
  const { results, resultsPath, reportPath } = writer;
  const job = { serverUrl: "https://github.com", owner: "acme", repo: "server", runId: RUN };
  const action = {
    job,
    inputs: { comment: { key: "default" }, retentionDays: undefined },
    log: () => undefined,
  } as unknown as ActionContext;
  const uploaded = await uploadResults(action, { results, resultsPath, reportPath }, []);
  expect(uploaded).toBeDefined();
  const names = double.state.artifacts[0]?.zip.toString("latin1").match(/[\w.-]+\.(?:html|json|md|txt)/g);
  expect([...new Set(names)].sort()).toEqual([
    "index.html",
    "mine__slow-c16.base.txt",
    "mine__slow-c16.head.txt",
    "mine__slow-c16.speedscope.json",
    "report.md",
    "results.json",
  ]);
});

/** Uploads what `make` puts into the folder of the results. */
async function uploadWith(rows: number, make: () => Promise<void>) {
  const writer = new ResultsWriter(folder, sampleResults());
  await writer.open();
  await mkdir(join(folder, "profiles"));
  await mkdir(join(folder, "logs"));
  for (let i = 0; i < rows; i += 1) {
    const profile = { ...sampledProfile(), id: `mine/row-${i}` };
    await writer.addProfile(profile);
    for (const name of Object.values(profileFiles(profile))) await writeFile(join(folder, name), "main (a.py:1) 3\n");
  }
  await writer.finish({});
  await make();
  const lines: string[] = [];
  const job = { serverUrl: "https://github.com", owner: "acme", repo: "server", runId: RUN };
  const inputs = { comment: { key: "default" }, retentionDays: undefined };
  const log = (line: string) => void lines.push(line);
  const { results, resultsPath, reportPath } = writer;
  await uploadResults({ job, inputs, log } as unknown as ActionContext, { results, resultsPath, reportPath }, [
    "base.json",
  ]);
  return lines;
}

async function readUploaded() {
  const github = quickClient(double);
  const listed = await listResultsArtifacts(github, RUN);
  const [artifact] = listed.state === "listed" ? listed.artifacts : [];
  if (!artifact) throw new Error("nothing was uploaded");
  return await readResultsArtifact(github, artifact);
}

/** A text of the uploaded zip. */
async function uploadedText(name: string): Promise<string | undefined> {
  return (await readArchive(double.state.artifacts[0]?.zip ?? Buffer.alloc(0), name)).get(name);
}

it("uploads no more than a reader accepts: the end of a long log, and the stacks that fit", async () => {
  const line = "error: the same line again and again\n";
  const whole = `first line\n${line.repeat((10 * 1024 * 1024) / line.length)}last line\n`;
  const log = await uploadWith(70, async () => {
    await writeFile(join(folder, "base.json"), "{}");
    await writeFile(join(folder, "logs/server.log"), whole);
  });
  expect(await readUploaded()).toMatchObject({ state: "read" });
  const text = await uploadedText("logs/server.log");
  expect(text).toMatch(/^first line\n[\s\S]*\n\[\d+ bytes left out\]\n[\s\S]*\nlast line\n$/);
  expect(text?.length).toBeLessThan(1024 * 1024 + 100);
  expect(log).toContainEqual(expect.stringMatching(/^logs\/server\.log: the artifact has its beginning and its end; /));
  expect(log).toContainEqual(
    expect.stringMatching(/^left out of the artifact, .*: profiles\/mine__row-\d+-c16\.\S+, .* and \d+ more$/),
  );
  expect(await readFile(join(folder, "logs/server.log.whole"), "utf8")).toBe(whole);
});

it("leaves out stored results of base that do not fit beside those of head", async () => {
  const log = await uploadWith(1, async () => {
    await writeFile(join(folder, "base.json"), Buffer.alloc(64 * 1024 * 1024, "0123456789\n"));
  });
  expect(await readUploaded()).toMatchObject({ state: "read" });
  expect(log).toContainEqual(expect.stringMatching(/^left out of the artifact, .*: base\.json$/));
});

it("does not follow a link in the place of a log", async () => {
  const target = join(folder, "elsewhere.txt");
  await writeFile(target, "x".repeat(3 * 1024 * 1024));
  const log = await uploadWith(1, async () => {
    await writeFile(join(folder, "base.json"), "{}");
    await symlink(target, join(folder, "logs/link.log"));
  });
  expect(log).toContainEqual(expect.stringContaining("link.log is not a regular file"));
  expect(double.state.artifacts).toEqual([]);
});

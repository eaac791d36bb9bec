/** One row of each kind of load below a real Valgrind: HTTP/2, files, websockets and gRPC. Without Valgrind these tests are skipped. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countedRow, countProcess } from "../../src/measure/instructions/count-process.js";
import { findValgrind } from "../../src/measure/instructions/valgrind.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import { findRun } from "../../src/process/sweep.js";
import { environmentKey } from "../../src/provision/environments/key.js";
import { readyTools } from "../../src/provision/generators/generators.js";
import { provideGhz } from "../../src/provision/generators/ghz.js";
import { makeFiles } from "../../src/provision/payload-files.js";
import { provision } from "../../src/provision/provision.js";
import { testContext } from "../support/measure.js";
import { ROOT } from "../support/own-set.js";
import { testRun } from "../support/run.js";
import { needing, testTool } from "../support/tools.js";

const TIMEOUT_MS = 300_000;
const found = await findValgrind(process.env, { id: "tests", signal: new AbortController().signal });
const title = found.state === "found" ? "instructions" : `instructions (skipped: ${found.reason})`;
const ghz = await testTool(provideGhz);
const quiet = (): void => {};
const PROGRESS = { started: quiet, update: quiet, finished: quiet, failed: quiet, note: quiet };

/** @param scenarios folder of the row's set; undefined: a built-in one */
async function counted(selector: string, scenarios?: string) {
  if (found.state === "missing") throw new Error(found.reason);
  await using run = testRun();
  const own = scenarios === undefined ? {} : { scenarios };
  const options = {
    root: ROOT,
    cwd: scenarios ?? ROOT,
    selectors: [selector],
    profile: "quick",
    servers: [],
    cores: 2,
  };
  const rows = rowsOf(await planRun({ ...options, ...own })).map(countedRow);
  const { environments, generators } = await provision(rows, { run, env: process.env, progress: PROGRESS });
  const [row] = rows;
  const environment = row && environments.get(environmentKey(row.environment));
  if (!row || environment?.state !== "ready") throw new Error(JSON.stringify(environment));
  const context = { ...testContext(run), generators: readyTools(generators), valgrind: found.valgrind };
  const filesDir = join(run.tempDir, "files");
  await makeFiles(filesDir);
  const ended = await countProcess(row, environment, 1, { requests: undefined }, { ...context, filesDir });
  expect(findRun(run)).toEqual([]);
  if (ended.state === "failed") throw new Error(ended.reason);
  return ended.windows;
}

describe.skipIf(found.state === "missing")(title, () => {
  it.each(["http2/http-2-post", "files/rsgi", "websockets/granian-rsgi"])(
    "are counted in %s",
    { timeout: TIMEOUT_MS },
    async (selector) => {
      const windows = await counted(selector);
      expect(windows.length).toBeGreaterThanOrEqual(2);
      for (const instructions of windows) expect(instructions).toBeGreaterThan(10_000);
    },
  );

  it.skipIf(ghz.missing !== undefined)(needing("are counted in a gRPC row", ghz), { timeout: TIMEOUT_MS }, async () => {
    const windows = await counted("shop", join(ROOT, "examples/apps/grpc/benchmarks"));
    expect(windows.length).toBeGreaterThanOrEqual(2);
    for (const instructions of windows) expect(instructions).toBeGreaterThan(100_000);
  });
});

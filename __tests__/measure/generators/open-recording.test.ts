/** Windows of a load at a fixed rate, counted by the script itself in files like those that oha writes. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GeneratorSetup } from "../../../src/measure/generators/contract.js";
import { readOpenRecording } from "../../../src/measure/generators/open-recording.js";
import { readTopology, splitCpus } from "../../../src/measure/machine/cpus.js";
import { testOha } from "../../support/oha.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** oha's table. @param rows Python: a list of when it was due, how long it took, status and size */
function record(name: string, rows: string): string {
  const path = join(folder, name);
  const script = `import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("CREATE TABLE oha (url TEXT, start REAL, start_latency_correction REAL, end REAL, duration REAL, status INTEGER, len_bytes INTEGER, run INTEGER)")
db.executemany("INSERT INTO oha VALUES ('', 0, ?, 0, ?, ?, ?, 0)", ${rows})
db.commit()`;
  execFileSync("python3", ["-c", script, path]);
  return path;
}

/** A tenth of a second settles, then three windows of a tenth, at this rate. */
async function read(path: string, ratePerSec: number) {
  const setup: GeneratorSetup = {
    ...{ tool: testOha(), cpus: splitCpus(readTopology()).client, env: { PATH: process.env.PATH ?? "" } },
    ...{ python: "python3", tempDir: folder, signal: new AbortController().signal },
  };
  const load = { seconds: 0.4, open: { ratePerSec, settleSec: 0.1, windowSec: 0.1 } };
  const output = { seconds: 0.4, byStatus: new Map(), responses: 0, totalBytes: 0, errors: new Map() };
  return await readOpenRecording(setup, path, [{ url: undefined, status: 200, size: { least: 5, most: 5 } }], load, {
    ...output,
    latencyMs: undefined,
    firstByteMs: undefined,
  });
}

it("takes the quieter of the windows, without what settled", async () => {
  // 2,000 a window: 1 ms while it settles, then 4, 3 and 5 ms; 2 % of the second window take 90 ms.
  const rows = `[(0.00005 * i, (0.001, 0.004, 0.003, 0.005)[i // 2000] if i % 50 or i // 2000 != 2 else 0.09, 200, 5) for i in range(8000)]`;
  const { open, requests, failures } = await read(record("windows", rows), 20_000);
  expect(requests).toBe(8000);
  expect(failures.total).toBe(0);
  // Two of three count: 3 and 4 ms, and for the p99 4 and 5.
  const latencyMs = { p50: expect.closeTo(Math.sqrt(3 * 4)), p99: expect.closeTo(Math.sqrt(4 * 5)) };
  expect(open).toEqual({ answered: 6000, latencyMs });
});

it("has the latency of all answers too, without what settled", async () => {
  // 2,000 a window: 1 ms while it settles, then 4, 3 and 5 ms.
  const rows = `[(0.00005 * i, (0.001, 0.004, 0.003, 0.005)[i // 2000], 200, 5) for i in range(8000)]`;
  const { latencyMs } = await read(record("all", rows), 20_000);
  expect(latencyMs).toMatchObject({ mean: expect.closeTo(4), p50: expect.closeTo(4), p99: expect.closeTo(5) });
  expect(latencyMs).toMatchObject({ p60: expect.closeTo(4), p999: expect.closeTo(5), max: expect.closeTo(5) });
});

it("leaves out windows in which the load generator was stopped, and wrong answers", async () => {
  // The second window has half of its requests, the third one wrong answers alone.
  const rows = `[(0.1 + 0.00005 * i, 0.004, 200, 5) for i in range(2000)]
  + [(0.2 + 0.0001 * i, 0.001, 200, 5) for i in range(1000)]
  + [(0.3 + 0.00005 * i, 0.001, 200 if i % 2 else 500, 6) for i in range(2000)]`;
  const { open, failures } = await read(record("stopped", rows.replaceAll("\n", "")), 20_000);
  expect(open).toEqual({ answered: 3000, latencyMs: { p50: expect.closeTo(4), p99: expect.closeTo(4) } });
  expect(failures.byKind).toEqual({ "wrong body": 1000, "status 500": 1000 });
});

it("has no p99 of fewer than 500 requests in a window, and nothing of none", async () => {
  const few = record("few", "[(0.1 + 0.0005 * i, 0.004, 200, 5) for i in range(600)]");
  expect((await read(few, 2000)).open).toEqual({ answered: 600, latencyMs: { p50: expect.closeTo(4) } });
  const none = record("none", "[(0.1, 0.004, 500, 5)]");
  expect((await read(none, 2000)).open).toEqual({ answered: 0 });
});

/** Two runs: the second one compared with the first, and the history of both. The committed bundle, a real server, real load. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readResults } from "../../src/results/read.js";
import { invoke, tempFolder } from "../support/cli.js";

test("run --base-results compares with the stored run, and compare says the same afterwards", async () => {
  const [base, head, again, site] = [tempFolder(), tempFolder(), tempFolder(), tempFolder()];
  const args = ["run", "interfaces/rsgi-bytes", "--profile", "quick"];
  await invoke([...args, "--out", base]).ended;
  const stored = join(base, "results.json");
  // A disturbed stored run is no base; what else ran meanwhile is not what is tried here.
  writeFileSync(stored, readFileSync(stored, "utf8").replaceAll(/"disturbed": true,\s*/g, ""));
  const run = await invoke([...args, "--base-results", stored, "--fail-on", "worse", "--out", head, "--json"]).ended;
  // Whatever the machine did meanwhile: stored files prove nothing.
  expect(run.code).toBe(0);
  const { comparison } = await readResults(join(head, "results.json"));
  expect(comparison).toMatchObject({ mode: "artifact", base: { runs: "1" }, notCompared: [] });
  expect(comparison?.rows.map((row) => row.id)).toEqual(["interfaces/rsgi-bytes"]);
  expect(Object.keys(comparison?.rows[0]?.metrics ?? {})).toEqual(["throughput", "cpuPerRequest"]);
  expect(JSON.parse(run.stdout)).toMatchObject({ comparison: { notComparable: [] } });
  expect(readFileSync(join(head, "report.md"), "utf8")).toContain("## Compared with base");

  const compared = await invoke(["compare", stored, join(head, "results.json"), "--out", again]).ended;
  expect(compared.code).toBe(0);
  expect((await readResults(join(again, "results.json"))).comparison?.rows).toEqual(comparison?.rows);

  const history = await invoke(["history", stored, join(head, "results.json"), "--out", site]).ended;
  expect([history.code, history.stderr]).toEqual([0, ""]);
  expect(history.stdout).toMatch(/^2 runs, 1 benchmark, /);
  expect(readFileSync(join(site, "index.html"), "utf8")).toContain("RSGI bytes");
});

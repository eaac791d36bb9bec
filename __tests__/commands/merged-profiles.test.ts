/** `report` of shards that sampled rows: the merged page has their flame graphs. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import { profileFiles } from "../../src/report/profile/files.js";
import { formatResults } from "../../src/results/layout.js";
import type { Results } from "../../src/results/schema.js";
import { ROOT } from "../support/own-set.js";
import { sampledProfile } from "../support/profile.js";
import { pairedShard } from "../support/shards.js";

let temp: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

/** @param planted the function in the stacks of this shard; undefined: it has no stacks */
function shard(index: number, startedAt: string, planted: string | undefined): string {
  const folder = join(temp, `shard-${index}`);
  const profile = sampledProfile();
  const { run, ...results } = pairedShard(index, 2, [`interfaces/row-${index}`]);
  const sampled: Results = { ...results, run: { ...run, startedAt }, profiles: [profile] };
  const { base, head, speedscope } = profileFiles(profile);
  if (planted !== undefined) {
    mkdirSync(dirname(join(folder, base)), { recursive: true });
    const stacks = `main (app.py:1);${planted} (app.py:4) 40\nmain (app.py:1) 800\n`;
    for (const file of [base, head]) writeFileSync(join(folder, file), stacks);
    writeFileSync(join(folder, speedscope), "{}");
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "results.json"), formatResults(sampled));
  return join(folder, "results.json");
}

const LATE = "2026-11-21T10:00:00.000Z";
const EARLY = "2026-11-21T09:00:00.000Z";

async function report(...files: string[]): Promise<string> {
  let [output, errors] = ["", ""];
  const out = join(temp, "out");
  const code = await main(["report", ...files, "--out", out], {
    ...{ root: ROOT, cwd: temp, env: { PATH: process.env.PATH ?? "" } },
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
  });
  expect(code, output + errors).toBe(0);
  return readFileSync(join(out, "index.html"), "utf8");
}

describe("a report of shards", () => {
  it("has the flame graphs of their rows, the newest of a row that two sampled", async () => {
    const page = await report(shard(1, LATE, "late_one"), shard(2, EARLY, "early_one"));
    expect(page).toContain("Flame graph of mine/slow (c16)");
    expect(page).toContain("late_one");
    expect(page).not.toContain("early_one");
    for (const file of Object.values(profileFiles(sampledProfile())))
      expect(existsSync(join(temp, "out", file))).toBe(true);
  });

  it("has no flame graph of an earlier report where the stacks are not beside the results", async () => {
    expect(await report(shard(1, LATE, "of_yesterday"), shard(2, EARLY, "early_one"))).toContain("of_yesterday");
    rmSync(join(temp, "shard-1", "profiles"), { recursive: true });
    const page = await report(join(temp, "shard-1", "results.json"), shard(2, EARLY, "early_one"));
    expect(page).not.toContain("of_yesterday");
    expect(page).not.toContain("Flame graph of mine/slow (c16)");
  });

  it("names the file whose stacks are damaged, and keeps the row's table", async () => {
    const file = shard(1, LATE, "late_one");
    const { head } = profileFiles(sampledProfile());
    writeFileSync(join(dirname(file), head), "main (app.py:1) not-a-number\n");
    const page = await report(file, shard(2, EARLY, undefined));
    expect(page).toContain(`There is no flame graph, because the stacks cannot be read: ${head}: not a line`);
    expect(page).toContain("planted");
  });

  it("has the tables alone where the stacks are not beside the results", async () => {
    const page = await report(shard(1, LATE, undefined), shard(2, EARLY, undefined));
    expect(page).toContain("planted");
    expect(page).not.toContain("Flame graph of mine/slow (c16)");
  });
});

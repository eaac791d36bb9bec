import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { planFileOf } from "../../src/plan/matrix.js";
import type { Shard } from "../../src/plan/shards.js";
import { parsePlanFile, readPlanFile } from "../../src/results/plan-file.js";

const SHARDS: readonly Shard[] = [
  { index: 1, of: 2, rows: ["interfaces/rsgi-bytes", "vs-asgi/granian-asgi-get-10kb"], expectedSec: 61 },
  { index: 2, of: 2, rows: ["my.set/row-1"], expectedSec: 30 },
];
const good = JSON.stringify(planFileOf(SHARDS));

function problem(text: string): string {
  try {
    parsePlanFile(text, "plan.json");
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return "accepted";
}

describe("parsePlanFile", () => {
  it("gives back what was written", () => {
    expect(parsePlanFile(good, "plan.json")).toEqual({
      ...{ schema: "server-bench/plan", version: 1 },
      shards: [
        { shard: "1/2", name: "1-of-2", rows: SHARDS[0]?.rows, minutes: 1.1 },
        { shard: "2/2", name: "2-of-2", rows: ["my.set/row-1"], minutes: 0.5 },
      ],
    });
  });

  it.each([
    ['"version":1', '"version":2', "plan.json: version: expected 1, got 2"],
    ['"server-bench/plan"', '"server-bench/results"', 'plan.json: schema: expected "server-bench/plan", got'],
    ['"shard":"2/2"', '"shard":"1/2"', 'plan.json: shards[1].shard: expected "2/2"'],
    ['"shard":"2/2"', '"shard":"2/9"', 'plan.json: shards[1].shard: expected "2/2"'],
    ['"name":"1-of-2"', '"name":"../x"', 'plan.json: shards[0].name: expected "1-of-2"'],
    ["my.set/row-1", "interfaces/rsgi-bytes", 'shards[1].rows[0]: "interfaces/rsgi-bytes" is in the shard 1/2 already'],
    ["my.set/row-1", "my.set", "shards[1].rows[0]: expected the id of a row, such as interfaces/rsgi-bytes"],
    ["my.set/row-1", "<img src=x>/@admin", "shards[1].rows[0]: expected the id of a row"],
    ["my.set/row-1", "a/b\\nc", "shards[1].rows[0]: expected the id of a row"],
    ['"my.set/row-1"', "7", "shards[1].rows[0]: expected string, got 7"],
    ['"minutes":0.5', '"minutes":-1', "shards[1].minutes: "],
    ['"minutes":0.5', '"minutes":1e999', "shards[1].minutes: expected a finite number, got Infinity"],
    ['"minutes":0.5', '"minutes":0.5,"extra":1', "shards[1].extra: unknown field"],
    ['"minutes":0.5', '"minutes":0.5,"__proto__":{"a":1}', "shards[1].__proto__: unknown field"],
    ['"version":1', '"version":1,"constructor":1', "constructor: unknown field"],
  ])("%s -> %s", (from, to, message) => {
    expect(good).toContain(from);
    expect(problem(good.replace(from, to))).toContain(message);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it("refuses what is no plan, cut off, too deep or too many", () => {
    expect(problem("")).toBe("plan.json: is empty; expected the plan of a sharded run");
    expect(problem(good.slice(0, -9))).toMatch(/^plan\.json: the file ends in the middle/);
    expect(problem("[]")).toMatch(/^plan\.json: /);
    expect(problem("null")).toMatch(/^plan\.json: /);
    expect(problem(good.replace(/\[.*\]/, "[]"))).toBe("plan.json: shards: expected a shard or more");
    expect(problem(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)).toMatch(/nested deeper than 32 levels$/);
    const many = planFileOf(
      Array.from({ length: 257 }, (_, i) => ({ index: i + 1, of: 257, rows: [], expectedSec: 1 })),
    );
    expect(problem(JSON.stringify(many))).toBe("plan.json: shards: expected at most 256 shards");
    const rows = Array.from({ length: 5_001 }, (_, i) => `set/row-${i}`);
    const long = planFileOf([{ index: 1, of: 1, rows, expectedSec: 1 }]);
    expect(problem(JSON.stringify(long))).toBe("plan.json: shards[0].rows: expected at most 5000 rows");
  });
});

describe("readPlanFile", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "server-bench-plan-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("reads a file, and names what is none", async () => {
    const file = join(folder, "plan.json");
    await writeFile(file, good);
    expect(await readPlanFile(file)).toEqual(planFileOf(SHARDS));
    await expect(readPlanFile(join(folder, "none.json"))).rejects.toThrow(
      /none\.json: no such file; expected a plan\.json$/,
    );
    await expect(readPlanFile(folder)).rejects.toThrow(/is a folder; give the plan\.json in it$/);
    await writeFile(file, " ".repeat(4 * 1024 * 1024 + 1));
    await expect(readPlanFile(file)).rejects.toThrow(
      /is too large for the plan of a sharded run: 5 MiB, at most 4 MiB$/,
    );
  });
});

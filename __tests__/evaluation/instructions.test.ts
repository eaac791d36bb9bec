/** The published figures of counted instructions: no row is lost, and a target is proven only with enough rows. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plantedApps, plantsFor } from "../../evaluation/instructions/apps.js";
import { chapter } from "../../evaluation/instructions/chapter.js";
import { type JudgedRow, readInstructionsFile } from "../../evaluation/instructions/judged-row.js";
import { judgedRows } from "../../evaluation/instructions/judged-rows.js";
import { checkSameMachine } from "../../evaluation/instructions/machine.js";
import type { ComparedRow, MetricComparison } from "../../src/results/comparison.js";
import { ROOT } from "../support/own-set.js";

it.each(["instructions", "fine", "usual"])("docs/evaluation-%s.md is made from its file", async (name) => {
  const json = join(ROOT, `docs/evaluation-${name}.json`);
  const file = await readInstructionsFile(json);
  if (!file) throw new Error(`${json} is missing`);
  expect(readFileSync(json.replace(".json", ".md"), "utf8")).toBe(chapter(file));
});

function rows(count: number, change: Partial<JudgedRow>): JudgedRow[] {
  const one: JudgedRow = {
    ...{ run: 1, server: "uvicorn", plant: "none", verdict: "unchanged" },
    ...{ change: 0.0005, rounds: 2, seconds: 30, logs: [] },
  };
  return Array.from({ length: count }, () => ({ ...one, ...change }));
}

const FACTS = {
  ...{ startedAt: "2026-11-22T00:00:00.000Z", machine: "A machine", cpus: 2, valgrind: "3.19.0", neighbour: 0.5 },
  ...{ runs: 1, measuredSec: 600 },
};

/** The cells of each target. */
function targetsOf(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("| ") && / (proven|met|missed)/.test(line));
  return lines.map((line) =>
    line
      .split("|")
      .slice(2, 5)
      .map((cell) => cell.trim()),
  );
}

it("distinguishes what is proven, what is only met, and what is missed", () => {
  const text = chapter({
    ...FACTS,
    rows: [
      ...rows(400, {}),
      ...rows(20, { plant: "one", verdict: "worse", change: 0.01 }),
      ...rows(2, { plant: "half", verdict: "worse", change: 0.005 }),
      ...rows(1, { plant: "half", verdict: "inconclusive", change: 0.002 }),
    ],
  });
  expect(targetsOf(text)).toEqual([
    ["0 of 400", "0.0 to 0.9 %", "proven"],
    ["20 of 20", "83.2 to 100.0 %", "met, too few rows to prove it"],
    ["20 of 20", "83.2 to 100.0 %", "met, too few rows to prove it"],
    ["2 of 3", "9.4 to 99.2 %", "missed"],
  ]);
});

it("counts a row that could not be counted as not found, and leaves it out among identical sides", () => {
  const uncounted = { run: 1, server: "uvicorn", reason: "it died" };
  const text = chapter({
    ...FACTS,
    rows: [...rows(2, {}), ...rows(3, { plant: "one", verdict: "worse", change: 0.01 })],
    notCounted: [
      { ...uncounted, plant: "none" },
      { ...uncounted, plant: "one" },
    ],
  });
  expect(targetsOf(text).map(([share]) => share)).toEqual(["0 of 2", "3 of 4", "3 of 4"]);
  expect(text).toContain("5 rows counted and 2 not counted");
});

const WORSE: MetricComparison = {
  verdict: "worse",
  change: 0.01,
  interval: [0.009, 0.011],
  p: 0.001,
  minimumDetectable: 0.002,
  pairs: 2,
};

function compared(title: string, change: Partial<ComparedRow>): ComparedRow {
  return { id: `work/${title}`, title, verdict: "worse", metrics: {}, seconds: 9, ...change };
}

it("keeps every row of a run: judged, or with the reason why it was not counted", () => {
  const counted = { state: "measured", source: "callgrind", version: "3.19.0", connections: 1, requests: 9 } as const;
  const { rows: judged, notCounted } = judgedRows(3, {
    rows: [
      compared("uvicorn-one", { metrics: { instructions: WORSE }, instructions: { ...counted, rounds: [] } }),
      compared("uvicorn-half", { instructions: { state: "not-measured", reason: "Valgrind died" } }),
      compared("granian-one", { instructions: { ...counted, rounds: [] } }),
    ],
    apart: [{ kind: "failed-in-head", id: "work/a", connections: 64, title: "granian-half", reason: "head: it ended" }],
  });
  expect(judged.map(({ run, server, plant, verdict }) => [run, server, plant, verdict])).toEqual([
    [3, "uvicorn", "one", "worse"],
  ]);
  const reasons = new Map(notCounted.map(({ server, plant, reason }) => [`${server}-${plant}`, reason]));
  expect(reasons.get("uvicorn-half")).toBe("Valgrind died");
  expect(reasons.get("granian-one")).toBe("too few rounds for a verdict");
  expect(reasons.get("granian-half")).toBe("head: it ended");
  expect(reasons.get("uvicorn-none")).toBe("the run has no such row");
  expect(judged.length + notCounted.length).toBe(plantedApps(plantsFor(undefined)).length);
});

it("takes further runs of the same machine only", () => {
  const { machine, cpus, valgrind } = FACTS;
  expect(() => checkSameMachine("a.json", FACTS, { machine, cpus, valgrind })).not.toThrow();
  expect(() => checkSameMachine("a.json", FACTS, { machine, cpus: 4, valgrind })).toThrow(
    "a.json: cpus is 2, and 4 here: take another file",
  );
});

it("takes only a missing file for the first run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "instructions-"));
  expect(await readInstructionsFile(join(folder, "none.json"))).toBeUndefined();
  await expect(readInstructionsFile(folder)).rejects.toThrow(`${folder}: EISDIR`);
  rmSync(folder, { recursive: true });
});

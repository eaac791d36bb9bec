import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mergeResults } from "../../src/merge/merge.js";
import { checkResults } from "../../src/results/check.js";
import { countValues } from "../../src/results/count-values.js";
import { formatResults } from "../../src/results/layout.js";
import { parseResults, readResults } from "../../src/results/read.js";
import type { Results } from "../../src/results/schema.js";
import { withinSize } from "../../src/results/within-size.js";
import { writeResults } from "../../src/results/write.js";
import { pairedResults, recordedRow } from "../support/shards.js";

const SLICE = {
  seconds: 0.25,
  requests: 4000,
  failures: { total: 0, byKind: {} },
  serverCpuSec: 0.12,
  clientCpuSec: 0.2,
};

/** Rows in pairs whose cases have slices: ten unchanged ones, and one that is worse. */
function results(pairs = 8): Results {
  const ids = Array.from({ length: 10 }, (_, i) => `interfaces/row-${i}`);
  const rows = [recordedRow("interfaces/slow", pairs, Math.log(1.3)), ...ids.map((id) => recordedRow(id, pairs, 0))];
  const whole = pairedResults(rows);
  const slices = Array.from({ length: 4 * pairs }, () => SLICE);
  return { ...whole, cases: whole.cases.map((one) => (one.state === "completed" ? { ...one, slices } : one)) };
}

function comparisonOf({ comparison }: Results): NonNullable<Results["comparison"]> {
  if (!comparison) throw new Error("no comparison");
  return comparison;
}

function sizeOf(of: Results) {
  const text = formatResults(of);
  return { bytes: Buffer.byteLength(text), values: countValues(text) };
}

function pairsOf(of: Results): Record<string, number | undefined> {
  return Object.fromEntries(comparisonOf(of).rows.map(({ id, recorded }) => [id, recorded?.length]));
}

/** The most that a case has. */
function slicesOf({ cases }: Results): number {
  return Math.max(...cases.map((one) => (one.state === "completed" ? one.slices.length : 0)));
}

it("gives back results that fit as they are", () => {
  const whole = results();
  const { bytes, values } = sizeOf(whole);
  expect(withinSize(whole)).toBe(whole);
  expect(withinSize(whole, { bytes: bytes + 20_000, values: values + 20 })).toBe(whole);
});

it.each(["bytes", "values"] as const)("leaves out the slices of cases in pairs first: too many %s", (which) => {
  const whole = results();
  const most = { bytes: 1e9, values: 1e9, [which]: sizeOf(whole)[which] - 1 };
  const thin = withinSize(whole, most);
  expect(slicesOf(thin)).toBe(2);
  expect(pairsOf(thin)).toEqual(pairsOf(whole));
  expect(sizeOf(thin)[which]).toBeLessThanOrEqual(most[which]);
  expect(thin.run.warnings).toEqual([
    "Cases that were measured in pairs have only two slices in results.json, because the file would be too large to be read.",
  ]);
});

it("leaves room for its warning, and takes no more than that", () => {
  const whole = results();
  const { bytes, values } = sizeOf(whole);
  // Without the last line's end.
  const exact = { bytes: bytes - 1 + 10_000, values: values + 10 };
  expect(withinSize(whole, exact)).toBe(whole);
  expect(slicesOf(withinSize(whole, { ...exact, bytes: exact.bytes - 1 }))).toBe(2);
  expect(slicesOf(withinSize(whole, { ...exact, values: exact.values - 1 }))).toBe(2);
});

it("leaves out slices of cases also where there are few pairs", () => {
  const few = results(4);
  const slices = Array.from({ length: 2_000 }, () => SLICE);
  const cases = few.cases.map((one) => (one.state === "completed" ? { ...one, slices } : one));
  const thin = withinSize({ ...few, cases }, { bytes: 4_000_000, values: 1e9 });
  expect(slicesOf(thin)).toBe(2);
  expect(pairsOf(thin)).toEqual(pairsOf(few));
});

it("keeps the slices of a case that failed: its row has no other figures", () => {
  const whole = results();
  const cases = whole.cases.map((one, i) =>
    i === 0 && one.state === "completed" ? { ...one, state: "failed" as const, reason: "it ended" } : one,
  );
  const thin = withinSize({ ...whole, cases }, { bytes: sizeOf(whole).bytes, values: 1e9 });
  expect(thin.cases[0]).toEqual(cases[0]);
  expect(slicesOf(thin)).toBe(2);
  expect(pairsOf(thin)).toEqual(pairsOf(whole));
});

it("leaves out the pairs of controls too, and keeps the controls", () => {
  const whole = results();
  const comparison = comparisonOf(whole);
  const controls = comparison.rows.slice(5);
  const split = { ...whole, comparison: { ...comparison, rows: comparison.rows.slice(0, 5), controls } };
  const thin = withinSize(split, { bytes: 20_000, values: 20 });
  expect(thin.comparison?.controls).toEqual(
    controls.map(({ recorded: _, ...rest }) => ({ ...rest, mode: "paired" as const })),
  );
  expect(thin.run.warnings.at(-1)).toContain(`lacks the pairs of ${comparison.rows.length} of them`);
});

it("counts only rows that have pairs among those that lack them", () => {
  const whole = results();
  const comparison = comparisonOf(whole);
  const rows = comparison.rows.map(({ recorded, ...rest }, i) => (i < 3 ? rest : { ...rest, recorded }));
  const thin = withinSize({ ...whole, comparison: { ...comparison, rows } } as Results, { bytes: 20_000, values: 20 });
  expect(thin.run.warnings.at(-1)).toContain(`lacks the pairs of ${rows.length - 3} of them`);
  expect(thin.comparison?.rows.slice(0, 3)).toEqual(rows.slice(0, 3));
  // Nothing is left that could be left out: no warning says that something was.
  const none = { ...thin, run: { ...thin.run, warnings: [] } };
  expect(withinSize(none, { bytes: 20_000, values: 20 })).toBe(none);
});

it.each(["bytes", "values"] as const)(
  "leaves out pairs of unchanged rows before others, and keeps figures and verdicts: too many %s",
  (which) => {
    const whole = results();
    const slim = withinSize(whole, { ...sizeOf(whole), values: sizeOf(whole).values - 1 });
    const most = { bytes: 1e9, values: 1e9, [which]: Math.round(sizeOf(slim)[which] * 0.6) };
    const thin = withinSize(whole, most);
    const left = Object.values(pairsOf(thin)).filter((count) => count === undefined).length;
    expect(left).toBeGreaterThan(2);
    expect(left).toBeLessThan(10);
    expect(pairsOf(thin)["interfaces/slow"]).toBe(8);
    expect(sizeOf(thin)[which]).toBeLessThanOrEqual(most[which]);
    expect(thin.run.warnings.at(-1)).toMatch(new RegExp(`lacks the pairs of ${left} of them`));
    const verdicts = (of: Results) => of.comparison?.rows.map(({ id, verdict, metrics }) => ({ id, verdict, metrics }));
    expect(verdicts(thin)).toEqual(verdicts(whole));
    expect(checkResults(thin)).toMatchObject({ state: "valid" });
  },
);

it("keeps its verdicts when it is merged with another shard", () => {
  const whole = results();
  const thin = withinSize(whole, { bytes: 1e9, values: Math.round(sizeOf(whole).values * 0.3) });
  const part = (source: string, of: Results, index: number) => ({
    source,
    results: { ...of, run: { ...of.run, id: source, shard: { index, of: 2 } } },
  });
  const other = pairedResults([recordedRow("interfaces/other", 8, Math.log(1.3))]);
  const merged = mergeResults([part("a", thin, 1), part("b", other, 2)]);
  expect(merged.comparison?.mode).toBe("paired");
  const verdicts = Object.fromEntries((merged.comparison?.rows ?? []).map(({ id, verdict }) => [id, verdict]));
  const before = Object.fromEntries((whole.comparison?.rows ?? []).map(({ id, verdict }) => [id, verdict]));
  expect(verdicts).toEqual({ ...before, "interfaces/other": "worse" });
  expect(checkResults(merged)).toMatchObject({ state: "valid" });
});

it("keeps slices of cases that have no pairs", () => {
  const whole = results();
  const alone = { ...whole, comparison: undefined };
  const { bytes, values } = sizeOf(alone);
  expect(withinSize(alone, { bytes, values: values - 1 })).toBe(alone);
});

it("writes a file that can be read, whatever a run measured", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-bench-size-"));
  try {
    const whole = results();
    const [row] = whole.comparison?.rows ?? [];
    const many = Array.from({ length: 4_900 }, (_, i) => ({ ...row, id: `interfaces/many-${i}` })) as never[];
    const large = { ...whole, comparison: { ...whole.comparison, rows: many } } as Results;
    expect(() => parseResults(formatResults(large), "results.json")).toThrow(/too large for a results file/);
    const file = join(folder, "results.json");
    await writeResults(file, large);
    const read = await readResults(file);
    expect(read.comparison?.rows).toHaveLength(4_900);
    expect(read.run.warnings.at(-1)).toMatch(/lacks the pairs of \d+ of them/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

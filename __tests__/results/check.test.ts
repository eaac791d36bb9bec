/** The messages of a results file that is wrong, and where its limits lie. */
import { describe, expect, it } from "vitest";
import { checkOwnResults, checkResults } from "../../src/results/check.js";
import { BARS_MAX } from "../../src/results/limits.js";
import { SCHEMA_VERSION } from "../../src/results/schema.js";
import { sampleComparison } from "../support/comparison.js";
import { sampleResults } from "../support/results.js";

type Fields = Record<string, unknown>;

function problemsOf(value: unknown): readonly string[] {
  const checked = checkResults(value);
  return checked.state === "invalid" ? checked.problems : [];
}

/** The sample with other fields. */
function sample(more: Fields): Fields {
  return { ...(structuredClone(sampleResults()) as unknown as Fields), ...more };
}

/** As many objects in each other. */
function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

describe("a results file that is wrong", () => {
  it("has three problems in its message, and the number of the others", () => {
    const broken = (count: number) => {
      const [first] = sampleResults().sets;
      const sets = Array.from({ length: count }, (_, i) => ({ ...first, name: `set-${i}`, title: i }));
      return problemsOf(sample({ sets, cases: [] }));
    };
    const title = (i: number) => `sets[${i}].title: expected string, got ${i}`;
    expect(broken(3)).toEqual([title(0), title(1), title(2)]);
    expect(broken(5)).toEqual([title(0), title(1), title(2), "and 2 more"]);
  });

  it("has noise that a test can be made with", () => {
    const { comparison } = sampleComparison();
    const [row] = comparison?.rows ?? [];
    const problems = (expected: object) =>
      problemsOf(
        sample({ comparison: { ...comparison, rows: [{ ...row, expectedNoise: { cpuPerRequest: expected } }] } }),
      );
    expect(problems({ scale: 1, df: 30 })).toEqual([]);
    const at = "comparison.rows[0].expectedNoise.cpuPerRequest";
    expect(problems({ scale: 1, df: 1e300 })).toEqual([`${at}.df: 1000 at most`]);
    expect(problems({ scale: 0, df: 1 })).toEqual([`${at}.scale: 0.000001 or more`]);
  });

  it("is nested at most 32 levels deep", () => {
    expect(problemsOf(nested(32))[0]).toMatch(/^schema: /);
    expect(problemsOf(nested(33))).toEqual(["a.a.a.a...: nested deeper than 32 levels"]);
  });

  it.each([
    [null, "null"],
    [[], "an array"],
    ["text", '"text"'],
    [7, "7"],
  ])("is an object: %j", (value, shown) => {
    expect(problemsOf(value)).toEqual([`expected the object that server-bench writes, got ${shown}`]);
  });

  it("is of this version", () => {
    const older = SCHEMA_VERSION - 1;
    expect(problemsOf(sample({ version: older }))).toEqual([`version: expected ${SCHEMA_VERSION}, got ${older}`]);
    expect(problemsOf(sample({ version: "9" }))).toEqual([`version: expected ${SCHEMA_VERSION}, got "9"`]);
    expect(problemsOf(sample({ version: 9 }))[0]).toMatch(/written by a newer server-bench: version 9/);
  });

  it("shows what is there instead: an array, an object, null", () => {
    expect(problemsOf(sample({ cases: [], sets: [{ ...sampleResults().sets[0], title: [] }] }))).toEqual([
      "sets[0].title: expected string, got an array",
    ]);
    expect(problemsOf(sample({ cases: {} }))[0]).toMatch(/^cases: expected Array, got an object$/);
    expect(problemsOf(sample({ cases: null }))[0]).toMatch(/^cases: expected Array, got null$/);
  });

  it("has each set once", () => {
    const { sets } = sampleResults();
    expect(problemsOf(sample({ sets: [...sets, sets[0]] }))).toEqual([
      `sets[${sets.length}].name: "${sets[0]?.name}" is there twice`,
    ]);
  });
});

describe("bars of charts", () => {
  const { sets, cases } = sampleResults();
  const [set, one] = [sets[0], cases[0]];
  const charts = ["requests", "rps", "mean", "max", "failures", "p50", "p75", "p90", "p95", "p99"];

  /** @param count of cases in a set with ten charts */
  function bars(count: number, side: "head" | "base" = "head"): readonly string[] {
    const rows = Array.from({ length: count }, (_, i) => ({ ...one, id: `${set?.name}/row-${i}`, side }));
    return problemsOf(sample({ sets: [{ ...set, charts }], cases: rows }));
  }

  it("are counted for each chart and each case of head", () => {
    expect(bars(BARS_MAX / 10)).toEqual([]);
    expect(bars(BARS_MAX / 10 + 1)).toEqual([`sets[0].charts: expected at most ${BARS_MAX} bars in all charts`]);
    expect(bars(BARS_MAX / 10 + 1, "base")).toEqual([]);
  });
});

describe("a file that server-bench itself writes", () => {
  it("is given back unchanged", () => {
    const own = sampleResults();
    expect(checkOwnResults(own)).toEqual({ state: "valid", results: own });
  });

  it("has no field that no reader knows, at any depth", () => {
    const own = structuredClone(sampleResults());
    Object.assign(own.cases[1] ?? {}, { added: null });
    expect(checkOwnResults(own)).toEqual({ state: "invalid", problems: ["cases[1].added: unknown field"] });
  });

  it("may leave fields undefined", () => {
    const own = structuredClone(sampleResults());
    Object.assign(own.run, { added: undefined });
    expect(checkOwnResults(own).state).toBe("valid");
  });

  it("names what is wrong in it", () => {
    expect(checkOwnResults(sample({ cases: 1 }))).toEqual({
      state: "invalid",
      problems: ["cases: expected Array, got 1"],
    });
  });
});

/** The rule for changes of the results file: fields may be added within a version, and readers ignore those they do not know. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { mergeResults } from "../../src/merge/merge.js";
import { renderReport } from "../../src/report/markdown/report.js";
import { checkOwnResults, checkResults } from "../../src/results/check.js";
import { withCurrentNames } from "../../src/results/earlier-names.js";
import { formatResults } from "../../src/results/layout.js";
import { parseResults } from "../../src/results/read.js";
import { sampleComparison } from "../support/comparison.js";
import { pairedShard } from "../support/shards.js";

/** Written by the code of version 0.1.0: every state of a case, a stored comparison, and two rows confirmed in pairs. */
const FIRST_RELEASE = readFileSync(new URL("fixtures/results-v0.1.0.json", import.meta.url), "utf8");

type Json = Record<string, unknown>;

/** With an unknown field in every object, except in those whose fields are names of the user's. */
function withUnknownFields(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withUnknownFields(item));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, item]) => [name, withUnknownFields(item, name)]);
  return Object.fromEntries(RECORDS.has(field) ? fields : [...fields, ["addedLater", { a: [1, "x"] }]]);
}

const RECORDS = new Set([
  ...["knobs", "byKind", "loadGenerators", "knobColumns", "leadColumns", "metrics", "base", "suspected", "day"],
  ...["confirmedWith", "storedBase"],
]);

function problem(file: unknown): string {
  try {
    parseResults(JSON.stringify(file), "results.json");
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return "accepted";
}

describe("a results file of version 1", () => {
  it("is read as the first release wrote it, merged, rendered and written again", () => {
    const results = parseResults(FIRST_RELEASE, "results.json");
    expect(results).toEqual(withCurrentNames(JSON.parse(FIRST_RELEASE)));
    expect(JSON.parse(formatResults(results))).toEqual(results);
    expect(checkOwnResults(results).state).toBe("valid");
    const merged = mergeResults([
      { source: "old.json", results },
      { source: "new.json", results: pairedShard(1, 2, ["interfaces/a"]) },
    ]);
    expect(checkOwnResults(merged).state).toBe("valid");
    expect(renderReport(merged)).toContain("RSGI echo (c64)");
  });

  it.each([
    ["of the first release", JSON.parse(FIRST_RELEASE) as Json],
    ["with a stored comparison", sampleComparison() as unknown as Json],
    ["with pairs", pairedShard(1, 2, ["interfaces/a", "interfaces/b"]) as unknown as Json],
  ])("is read without the fields that this version does not know: a file %s", (_, file) => {
    const later = withUnknownFields(file);
    expect(JSON.stringify(later).split("addedLater").length).toBeGreaterThan(30);
    expect(parseResults(JSON.stringify(later), "results.json")).toEqual(
      withCurrentNames(JSON.parse(JSON.stringify(file))),
    );
  });

  it("is refused with a name that every object inherits, inside of an unknown field too", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const text = FIRST_RELEASE.replace('"run": {', `"run": {"addedLater": [{"${name}": 1}],`);
      expect(problem(JSON.parse(text))).toBe(`results.json: run.addedLater[0].${name}: unknown field`);
    }
  });

  it("is refused when its version changes what fields mean, with the remedy", () => {
    const file = JSON.parse(FIRST_RELEASE) as Json;
    expect(problem({ ...file, version: 2, cases: "of another kind" })).toBe(
      "results.json: version: written by a newer server-bench: version 2; this one reads 1: update server-bench",
    );
  });

  it("is written with known fields only", () => {
    const file = withCurrentNames(JSON.parse(FIRST_RELEASE)) as Json;
    expect(checkOwnResults({ ...file, extra: 1 })).toEqual({ state: "invalid", problems: ["extra: unknown field"] });
    const [first, ...rest] = file.cases as Json[];
    const cases = [{ ...first, summary: { ...(first?.summary as Json), p50: 1 } }, ...rest];
    expect(checkOwnResults({ ...file, cases })).toEqual({
      state: "invalid",
      problems: ["cases[0].summary.p50: unknown field"],
    });
    expect(checkResults({ ...file, cases }).state).toBe("valid");
  });
});

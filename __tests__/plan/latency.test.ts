import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { checkLatency, withLatency } from "../../src/plan/latency.js";
import { setFile } from "../../src/plan/schema.js";
import type { PlannedSet } from "../../src/plan/types.js";
import { faultyRow } from "../support/measure.js";

function setOf(...rows: PlannedSet["rows"]): PlannedSet {
  return { name: "mine", title: "Mine", methodology: [], label: "Row", knobColumns: {}, columns: ["rps"], rows };
}

describe("latency in a scenario file", () => {
  it("is asked for by a row, or by the set's defaults", () => {
    const file = { title: "T", rows: [{ title: "A", latency: true }, { title: "B" }], defaults: { latency: true } };
    const parsed = v.parse(setFile, file);
    expect([parsed.defaults?.latency, parsed.rows?.[0]?.latency, parsed.rows?.[1]?.latency]).toEqual([
      true,
      true,
      undefined,
    ]);
  });
  it("is yes or no", () => {
    expect(() => v.parse(setFile, { title: "T", rows: [{ title: "A", latency: "p99" }] })).toThrow(/boolean/);
  });
});

describe("checkLatency", () => {
  it.each(["wrk", "ghz", "websocket"] as const)("refuses %s, with row and generator", (generator) => {
    const row = { id: "mine/a", generator, latency: true };
    expect(() => checkLatency(row)).toThrow(`the row "mine/a" is loaded by ${generator}, which`);
    expect(checkLatency({ ...row, latency: false })).toMatchObject({ generator });
  });
  it("takes oha, over HTTP/2 too", () => {
    const row = { ...faultyRow("good", { http: 2 }), latency: true };
    expect(checkLatency(row)).toBe(row);
  });
});

describe("withLatency", () => {
  it("asks for it in every row", () => {
    const sets = withLatency([setOf(faultyRow("good"), faultyRow("slow")), setOf(faultyRow("mixed"))]);
    expect(sets.flatMap(({ rows }) => rows)).toEqual([
      expect.objectContaining({ latency: true }),
      expect.objectContaining({ latency: true }),
      expect.objectContaining({ latency: true }),
    ]);
  });
  it("is an error of the input where a selected row cannot", () => {
    const sets = [setOf(faultyRow("good"), faultyRow("bound", { generator: "wrk" }))];
    expect(() => withLatency(sets)).toThrow(InputError);
    expect(() => withLatency(sets)).toThrow(/^--latency: the row "faulty\/bound" is loaded by wrk, .* select others$/);
  });
});

import { describe, expect, it } from "vitest";
import { NONE } from "../../src/commands/run/against.js";
import {
  CHANGED_ROWS,
  checkProfileRows,
  namesRowsWithoutBase,
  notProfiled,
  parseProfileRows,
  rowsToProfile,
} from "../../src/commands/run/profile-rows.js";
import { planRun } from "../../src/plan/plan.js";
import { compared } from "../support/comment.js";
import { ROOT } from "../support/own-set.js";

describe("--profile-rows", () => {
  it("takes rows, several in one value too, or none", () => {
    expect(parseProfileRows(["a/b", "c/*, d/e"], "--profile-rows")).toEqual({
      kind: "changed",
      named: ["a/b", "c/*", "d/e"],
    });
    expect(parseProfileRows(["none"], "--profile-rows")).toEqual({ kind: "none" });
    expect(() => parseProfileRows(["none", "a/b"], "--profile-rows")).toThrow(
      'invalid --profile-rows "none,a/b": none excludes all rows; give rows, or none alone',
    );
  });

  it("names rows that were selected", async () => {
    const plan = await planRun({ root: ROOT, cwd: ROOT, selectors: ["interfaces"], profile: "quick", cores: 2 });
    const check = (...rows: string[]) => checkProfileRows(parseProfileRows(rows, "x"), plan, "profile-rows");
    expect(() => check("interfaces/asgi-bytes", "interfaces/*-echo")).not.toThrow();
    expect(() => check("interfaces/asgi-byte")).toThrow(
      /^profile-rows: unknown row "interfaces\/asgi-byte"; did you mean "interfaces\/asgi-bytes"\?/,
    );
    expect(() => checkProfileRows(CHANGED_ROWS, plan, "profile-rows")).not.toThrow();
  });

  it("has no meaning without pairs, unless it names no row", () => {
    expect(namesRowsWithoutBase(parseProfileRows(["a/b"], "x"), NONE)).toBe(true);
    expect(namesRowsWithoutBase({ kind: "none" }, NONE)).toBe(false);
    expect(namesRowsWithoutBase(undefined, NONE)).toBe(false);
  });
});

describe("the rows that are sampled", () => {
  const row = (id: string, ...rest: [Parameters<typeof compared>[1]]) => ({
    compared: compared(id, ...rest),
    control: id.endsWith("control"),
  });
  const rows = [
    row("a/better", "better"),
    row("a/same", "unchanged"),
    row("a/suspect", "suspect-worse"),
    row("a/control", "worse"),
    ...[1, 2, 3, 4, 5].map((i) => row(`a/worse-${i}`, "worse")),
  ];
  const ids = (of: readonly (typeof rows)[number][]) => of.map(({ compared: { id } }) => id);

  it("are those that changed, worse before better, five at most", () => {
    const { sampled, leftOut } = rowsToProfile(rows, CHANGED_ROWS);
    expect(ids(sampled)).toEqual(["a/worse-1", "a/worse-2", "a/worse-3", "a/worse-4", "a/worse-5"]);
    expect(ids(leftOut)).toEqual(["a/better"]);
  });

  it("are ordered by the change of what their verdict stands on", () => {
    const changed = (id: string, cpu: number, growth: number) => {
      const one = row(id, "worse");
      const [usual] = Object.values(one.compared.metrics);
      if (!usual) throw new Error("a row has metrics");
      const metrics = {
        cpuPerRequest: { ...usual, verdict: "worse" as const, change: cpu },
        memoryGrowth: { ...usual, verdict: "inconclusive" as const, change: growth },
      };
      return { ...one, compared: { ...one.compared, metrics } };
    };
    const { sampled } = rowsToProfile([changed("a/little", 0.02, 0.25), changed("a/much", 0.15, 0)], CHANGED_ROWS);
    expect(sampled.map(({ compared: { id } }) => id)).toEqual(["a/much", "a/little"]);
  });

  it("are also those with a name, whatever their verdict, and without a limit", () => {
    const { sampled, leftOut } = rowsToProfile(rows, { kind: "changed", named: ["a/same", "a/better"] });
    expect(ids(sampled).slice(0, 2)).toEqual(["a/better", "a/same"]);
    expect(sampled).toHaveLength(7);
    expect(leftOut).toEqual([]);
  });

  it("are named where they have no pairs", () => {
    const planned = ["a/same", "a/identical", "a/failed"].map((id) => ({ id }));
    expect(notProfiled(planned, rows, { kind: "changed", named: ["a/same", "a/ident*"] })).toEqual(["a/identical"]);
    expect(notProfiled(planned, rows, CHANGED_ROWS)).toEqual([]);
    expect(notProfiled(planned, rows, { kind: "none" })).toEqual([]);
  });

  it("are none where the user wants none", () => {
    expect(rowsToProfile(rows, { kind: "none" })).toEqual({ sampled: [], leftOut: [] });
  });
});

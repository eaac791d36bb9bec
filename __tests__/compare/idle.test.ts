import { describe, expect, it } from "vitest";
import { PAIRS_MAX } from "../../src/compare/looks.js";
import { judgePaired } from "../../src/compare/paired.js";
import { comparePaired } from "../../src/compare/paired-report.js";
import { sliceOrder } from "../../src/measure/pairs/schedule.js";
import { annotationsOf } from "../../src/report/comment/annotations.js";
import { comparisonMarkdown, comparisonText } from "../../src/report/comparison/section.js";
import { comparedLine } from "../../src/report/terminal/progress.js";
import type { ComparedRow, Pair, PairSlice } from "../../src/results/comparison.js";
import { pairedRow } from "../support/pairs.js";
import { sampleResults } from "../support/results.js";

type PerSide = Readonly<Record<PairSlice["side"], number>>;

/** As many pairs as confirm a change of throughput alone. @param idle CPUs at rest @param speed requests a second, of which one costs 100 µs of CPU */
function pairs(idle: PerSide | undefined, speed: PerSide, count = PAIRS_MAX): Pair[] {
  return Array.from({ length: count }, (_, number) => {
    const wobble = 0.001 * ((number % 3) - 1);
    const slices = sliceOrder(number % 2 === 0 ? "base" : "head", 8).map((side): PairSlice => {
      const other = side === "base" ? "head" : "base";
      const requests = Math.round(3000 * speed[side] * (1 + (side === "head" ? wobble : 0)));
      return {
        ...{ side, seconds: 0.3, requests, serverCpuSec: requests * 1e-4, othersShare: 0.01 },
        ...(idle && { idleCpuSec: 0.3 * (idle[other] + wobble) }),
      };
    });
    return { seconds: 4.5, slices };
  });
}

function judge(of: readonly Pair[]): ComparedRow {
  const [judged] = judgePaired([pairedRow("set/row", of)]);
  if (!judged) throw new Error("no verdict");
  return judged.compared;
}

const SAME = { base: 1, head: 1 };
const FASTER = { base: 1, head: 1.25 };
const SLOWER = { base: 1, head: 0.8 };

describe("what a side uses of the CPU while the other one is loaded", () => {
  it("changes nothing where it was not recorded", () => {
    expect(judge(pairs(undefined, FASTER))).toMatchObject({ verdict: "better" });
    expect(judge(pairs(undefined, FASTER))).not.toHaveProperty("idleCpu");
  });

  it("makes the row worse where head uses much more, and takes the verdict that it won by it", () => {
    const row = judge(pairs({ base: 0.004, head: 0.29 }, FASTER));
    expect(row.verdict).toBe("worse");
    expect(row.metrics.throughput?.verdict).toBe("inconclusive");
    expect(row.idleCpu).toMatchObject({ worse: true });
    expect(row.notes).toEqual([
      "head uses 29 % of a CPU while idle, base 0 %",
      "no verdict on throughput and CPU per request: head used the CPU while idle and so slowed base",
    ]);
  });

  it("is shown in the report, in the terminal and as an annotation", () => {
    const rows = [judge(pairs({ base: 0.005, head: 0.15 }, SAME))];
    const report = comparePaired({
      base: { ref: "main" },
      rows,
      controls: [],
      uncompared: [],
      command: ["server-bench"],
    });
    for (const text of [comparisonMarkdown(report), comparisonText(report, 200)]) {
      expect(text).toContain("1 of 1 benchmark needs more CPU while idle");
      expect(text).toContain("CPU while idle +14.5 % of a CPU");
      expect(text).toContain("head uses 15 % of a CPU while idle");
    }
    expect(rows.map(comparedLine).join()).toMatch(
      /^worse {2}set\/row \(c64\) {2}head uses 15\.0 % of a CPU while idle {2}/,
    );
    const annotations = annotationsOf({ ...sampleResults(), comparison: report }, { gate: true });
    expect(annotations).toMatchObject([
      {
        level: "error",
        title: "worse: row (c64)",
        message: expect.stringContaining("CPU while idle +14.5 % of a CPU"),
      },
    ]);
  });

  it("leaves `worse` to a head that is slower in spite of it", () => {
    const row = judge(pairs({ base: 0.005, head: 0.29 }, SLOWER));
    expect(row.metrics.throughput?.verdict).toBe("worse");
    expect(row.verdict).toBe("worse");
  });

  it("is no finding where both sides use the same", () => {
    for (const idle of [0.02, 0.2]) {
      expect(judge(pairs({ base: idle, head: idle }, FASTER)).verdict).toBe("better");
      expect(judge(pairs({ base: idle, head: idle }, SAME)).verdict).toBe("unchanged");
    }
    expect(judge(pairs({ base: 0.02, head: 0.02 }, SAME)).notes).toBeUndefined();
    expect(judge(pairs({ base: 0.2, head: 0.2 }, SAME)).notes).toEqual([
      "head uses 20 % of a CPU while idle, base 20 %",
    ]);
  });

  it("is no finding where head uses a little more, but is divided out before a verdict", () => {
    const idle = { base: 0.005, head: 0.033 };
    expect(judge(pairs(idle, SAME)).verdict).toBe("inconclusive");
    expect(judge(pairs(idle, { base: 1, head: 1.036 })).verdict).not.toBe("better");
    expect(judge(pairs(idle, FASTER))).toMatchObject({ verdict: "better", idleCpu: { worse: false } });
  });

  it("is a finding from 3 % of a CPU on", () => {
    expect(judge(pairs({ base: 0.005, head: 0.045 }, SAME))).toMatchObject({
      ...{ verdict: "worse", idleCpu: { worse: true } },
    });
  });

  it("does not blame head for what base used: a change that ends a burn is not worse", () => {
    const row = judge(pairs({ base: 0.29, head: 0.005 }, SLOWER));
    expect(row.verdict).not.toBe("worse");
    expect(row.notes).toContain(
      "no verdict on throughput and CPU per request: base used the CPU while idle and so slowed head",
    );
  });

  it("keeps a row open while more pairs may show that head uses more than the limit", () => {
    // 3 and 8 % of a CPU: beyond the limit on average, not surely yet.
    const tornOf = (burner: PairSlice["side"], cpuOfHead = 1) =>
      pairs({ base: 0, head: 0 }, SAME, 4).map((pair, number) => ({
        ...pair,
        slices: pair.slices.map((slice) => ({
          ...slice,
          serverCpuSec: slice.serverCpuSec * (slice.side === "head" ? cpuOfHead : 1),
          idleCpuSec: slice.side === burner ? 0 : 0.3 * (number % 2 === 0 ? 0.03 : 0.08),
        })),
      }));
    const torn = tornOf("head");
    const rowOf = (of: readonly Pair[]) => judgePaired([pairedRow("set/row", of)])[0];
    expect(rowOf(torn)).toMatchObject({ open: true, suspicious: true });
    const more = Array.from({ length: 6 }, () => torn).flat();
    expect(rowOf(more)).toMatchObject({ open: false, compared: { verdict: "worse", idleCpu: { worse: true } } });
    expect(rowOf(pairs({ base: 0, head: 0.02 }, SAME, 4))).toMatchObject({ open: false, suspicious: false });
    // A verdict that the idle CPU may withdraw does not close the row.
    expect(rowOf(tornOf("head", 0.8))).toMatchObject({ open: true, compared: { verdict: "better" } });
    // Base's idle CPU makes no row worse.
    expect(rowOf(tornOf("base", 0.8))).toMatchObject({ open: false });
  });

  it("needs pairs that agree", () => {
    const [first] = pairs({ base: 0, head: 0.9 }, SAME, 1);
    const calm = pairs({ base: 0, head: 0 }, SAME, 5);
    expect(judge([...(first ? [first] : []), ...calm]).idleCpu).toMatchObject({ worse: false });
  });
});

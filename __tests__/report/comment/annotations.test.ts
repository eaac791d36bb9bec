import { describe, expect, it } from "vitest";
import { annotationsOf } from "../../../src/report/comment/annotations.js";
import type { ComparedRow } from "../../../src/results/comparison.js";
import { compared, comparison, notCompared, sampleFacts } from "../../support/comment.js";
import { HOSTILE } from "../../support/hostile.js";
import { sampleResults } from "../../support/results.js";

const { results } = sampleFacts();

function annotated(rows: readonly ComparedRow[], gate = false) {
  return annotationsOf({ ...sampleResults(), comparison: comparison(rows) }, { gate });
}

describe("annotationsOf", () => {
  it("has one for each row that changed, and for each that failed in head only", () => {
    expect(annotationsOf(results)).toEqual([
      {
        level: "warning",
        title: "failed in head only: interfaces / RSGI str (c256)",
        message: "the server ended with code 1",
      },
      {
        level: "warning",
        title: "worse: interfaces / RSGI bytes (c256)",
        message: "throughput -7.0 % ±1.2 % (20153 req/s -> 18742 req/s)",
      },
      {
        level: "notice",
        title: "better: interfaces / ASGI echo (c64)",
        message: expect.stringMatching(/^throughput \+5\.0 %.*; CPU per request -5\.0 %/),
      },
    ]);
  });

  it("has none without a comparison, and none for rows without a finding", () => {
    expect(annotationsOf(sampleResults())).toEqual([]);
    expect(annotated([compared("interfaces/a", "unchanged"), compared("interfaces/b", "inconclusive")])).toEqual([]);
  });

  it("makes a row that is worse an error where it fails the step, and a suspicion never", () => {
    const rows = [compared("interfaces/a", "worse"), compared("interfaces/b", "suspect-worse")];
    expect(annotated(rows, true).map(({ level }) => level)).toEqual(["error", "notice"]);
    expect(annotated(rows).map(({ level }) => level)).toEqual(["warning", "notice"]);
  });

  it("keeps to what GitHub shows of each level, and counts the rest", () => {
    const many = (verdict: ComparedRow["verdict"], count: number) =>
      Array.from({ length: count }, (_, i) => compared(`interfaces/${verdict}-${i}`, verdict));
    const rows = [...many("worse", 30), ...many("better", 10)];
    const of = (level: string, found: readonly { level: string; title: string; message: string }[]) =>
      found.filter((one) => one.level === level);
    const warnings = of("warning", annotated(rows));
    expect(warnings).toHaveLength(10);
    expect(warnings[9]?.title).toBe("and 21 more");
    expect(warnings[9]?.message).toMatch(/^worse-9 \(c256\), .* and 16 more$/);
    expect(of("notice", annotated(rows))).toHaveLength(10);
    // The step's own failure is the tenth.
    expect(of("error", annotated(rows, true))).toHaveLength(9);
    expect(of("error", annotated(rows, true)).at(-1)?.title).toBe("and 22 more");
  });

  it("is one line of plain text, without a command to the runner", () => {
    for (const text of [...HOSTILE, "##[error]x", "::error::x\n::add-path::/evil", "x".repeat(100_000)]) {
      const rows = [compared("interfaces/a", "worse", { title: text })];
      const of = comparison(rows, {
        notCompared: [{ ...notCompared("interfaces/a", "failed-in-head", text), title: text }],
      });
      const found = annotationsOf({ ...sampleResults(), comparison: of });
      expect(found).toHaveLength(2);
      for (const { title, message } of found) {
        expect([...title].length).toBeLessThanOrEqual(255);
        expect(title + message).not.toMatch(/[\p{Cc}\u2028\u2029\u202E]|##\[/u);
      }
    }
  });
});

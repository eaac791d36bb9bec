import { describe, expect, it } from "vitest";
import {
  betaQuantile,
  fisherUpperTail,
  normalCdf,
  normalQuantile,
  normalUpperTail,
  studentCdf,
  studentQuantile,
  studentUpperTail,
} from "../../src/compare/distributions.js";
import { benjaminiHochberg } from "../../src/compare/multiplicity.js";
import { clopperPearson } from "../../src/compare/proportion.js";
import distributions from "./fixtures/distributions.json" with { type: "json" };
import multiplicity from "./fixtures/multiplicity.json" with { type: "json" };

/** Relative, and absolute where the right value is 0. */
function expectClose(actual: number, expected: number, what: string): void {
  const error = Math.abs(actual - expected) / (expected === 0 ? 1 : Math.abs(expected));
  expect(error, `${what}: ${actual}, SciPy has ${expected}`).toBeLessThan(1e-9);
}

const { values } = distributions;

describe("against SciPy, to 1e-9 relative", () => {
  it("Student's t", () => {
    for (const [t = 0, df = 0, tail = 0] of values.studentUpperTail) {
      expectClose(studentUpperTail(t, df), tail, `P(T > ${t}), df ${df}`);
      expectClose(studentCdf(-t, df), tail, `P(T <= ${-t}), df ${df}`);
    }
    for (const [p = 0, df = 0, t = 0] of values.studentQuantile)
      expectClose(studentQuantile(p, df), t, `t(${p}), df ${df}`);
  });

  it("the F distribution", () => {
    for (const [f = 0, above = 0, below = 0, tail = 0] of values.fisherUpperTail)
      expectClose(fisherUpperTail(f, above, below), tail, `P(F > ${f}), df ${above} and ${below}`);
  });

  it("the normal distribution", () => {
    for (const [z = 0, tail = 0] of values.normalUpperTail) {
      expectClose(normalUpperTail(z), tail, `P(Z > ${z})`);
      expectClose(normalCdf(-z), tail, `P(Z <= ${-z})`);
    }
    for (const [p = 0, z = 0] of values.normalQuantile) expectClose(normalQuantile(p), z, `z(${p})`);
  });

  it("the beta distribution and Clopper-Pearson intervals", () => {
    for (const [p = 0, a = 0, b = 0, x = 0] of values.betaQuantile)
      expectClose(betaQuantile(p, a, b), x, `beta(${p}, ${a}, ${b})`);
    for (const [hits, trials, interval] of values.clopperPearson as [number, number, [number, number]][]) {
      const [low, high] = clopperPearson(hits, trials);
      expectClose(low, interval[0], `low end of ${hits}/${trials}`);
      expectClose(high, interval[1], `high end of ${hits}/${trials}`);
    }
  });

  it("Benjamini and Hochberg's adjusted p-values", () => {
    for (const { p, adjusted } of multiplicity.values) {
      const actual = benjaminiHochberg(p);
      for (const [i, value] of adjusted.entries()) expectClose(actual[i] ?? Number.NaN, value, `p ${p[i]}`);
    }
    expect(benjaminiHochberg([])).toEqual([]);
  });
});

it("refuses what is no probability", () => {
  for (const p of [0, 1, -0.1, 1.1, Number.NaN]) expect(() => studentQuantile(p, 5)).toThrow(RangeError);
});

/** What the headline and the badge say of rows that fail, and of rows whose level changed more than once. */
import { describe, expect, it } from "vitest";
import { badgeOf, historyHeadline } from "../../../src/report/history/words.js";
import { failedCase, historyOfDays } from "../../support/history.js";

const RUNS = 60;

const failing = (rows: number, from: number, runs = RUNS) =>
  historyOfDays({
    runs,
    rows: 6,
    change: (result, row, run) => (row < rows && run >= from ? failedCase(result) : result),
  });

/** Each row has the level of the newest run whose number is reached. */
const levels = (byRow: readonly Readonly<Record<number, number>>[], kernelFrom = RUNS) =>
  historyOfDays({
    runs: RUNS,
    rows: 6,
    speed: (row, run) => {
      const reached = Object.keys(byRow[row] ?? {}).filter((from) => Number(from) <= run);
      return byRow[row]?.[Number(reached.at(-1))] ?? 0;
    },
    environment: (run) => (run < kernelFrom ? {} : { kernel: "6.9.0", fingerprint: "newer" }),
  });

describe("rows that fail in the newest run", () => {
  it("come first, also where no level changed", () => {
    const history = failing(3, 41);
    expect(badgeOf(history)).toMatchObject({ message: "3 benchmarks fail", color: "d55e00" });
    expect(historyHeadline(history)).toBe(
      "3 of 6 benchmarks fail in the newest run; no change of level was found in 6 benchmarks over 60 runs",
    );
  });
  it("are said of a history that is too short for levels", () => {
    const history = failing(1, 2, 3);
    expect(badgeOf(history)).toMatchObject({ message: "1 benchmark fails", color: "d55e00" });
    expect(historyHeadline(history)).toBe(
      "1 of 6 benchmarks fails in the newest run; 6 benchmarks in 3 runs: too few to find changes of level",
    );
  });
  it("are said beside rows that got worse", () => {
    const history = historyOfDays({
      runs: RUNS,
      rows: 6,
      speed: (row, run) => (row === 1 && run >= 45 ? -0.1 : 0),
      change: (result, row, run) => (row === 0 && run >= 50 ? failedCase(result) : result),
    });
    expect(badgeOf(history).message).toBe("1 benchmark fails, 1 benchmark worse in 30 runs");
  });
  it("do not include rows that failed earlier", () => {
    const history = historyOfDays({
      runs: RUNS,
      rows: 6,
      change: (result, row, run) => (row === 0 && run === 50 ? failedCase(result) : result),
    });
    expect(badgeOf(history).message).toBe("no change in 30 runs");
  });
});

describe("a row whose level changed more than once", () => {
  it("is worse where it regained a part of what it lost", () => {
    const history = levels([{ 35: -0.1, 48: -0.06 }]);
    expect(history.rows.flatMap(({ changes }) => changes).some(({ verdict }) => verdict === "suspect-better")).toBe(
      true,
    );
    expect(badgeOf(history)).toMatchObject({ message: "1 benchmark worse in 30 runs", color: "d55e00" });
    expect(historyHeadline(history)).toBe("Levels changed in 1 of 6 benchmarks over 60 runs: in total 1 got worse");
  });
  it("is neither where it is back at its level", () => {
    const history = levels([{ 35: -0.1, 48: 0 }]);
    expect(badgeOf(history)).toMatchObject({ message: "no change in 30 runs", color: "6e7781" });
    expect(historyHeadline(history)).toBe(
      "Levels changed in 1 of 6 benchmarks over 60 runs: in total 1 is back at its first level",
    );
  });
  it("counts in the badge by its newest runs alone", () => {
    const history = levels([{ 12: -0.2, 48: -0.1 }]);
    expect(badgeOf(history).message).toBe("1 benchmark better in 30 runs");
    expect(historyHeadline(history)).toContain("in total 1 got worse");
  });
  it("is not compared across another way of measuring", () => {
    // The other machine is slower by itself; each one saw the same row become faster.
    const history = levels([{ 15: 0.1, 30: -0.5, 45: -0.4 }], 30);
    expect(historyHeadline(history)).toContain("in total 1 got better");
  });
});

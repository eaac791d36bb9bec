import { describe, expect, it } from "vitest";
import { environHas, listProcesses, parseStat, readStat } from "../../src/process/proc.js";

describe("parseStat", () => {
  it("counts fields after the last parenthesis of the name", () => {
    const stat = parseStat("42 (a) (b c) S 7 40 41 0 -1 0 0 0 0 0 11 22 3 4 20 0 1 0 98765 0 0");
    expect(stat).toEqual({
      pid: 42,
      state: "S",
      parent: 7,
      group: 40,
      session: 41,
      startTime: "98765",
      cpuTicks: 33,
      childTicks: 7,
    });
  });
  it("takes nothing from a text that is cut off", () => {
    expect(parseStat("42 (a) S 7 40")).toBeUndefined();
    expect(parseStat("")).toBeUndefined();
  });
});

describe("the real /proc", () => {
  it("knows this process and its environment", () => {
    expect(readStat("self")?.pid).toBe(process.pid);
    expect(listProcesses().some((one) => one.pid === process.pid)).toBe(true);
    expect(environHas(process.pid, "SERVER_BENCH_NO_SUCH=1")).toBe(false);
  });
  it("has nothing to say of a process that is gone", () => {
    expect(readStat(2 ** 22 + 1)).toBeUndefined();
    expect(environHas(2 ** 22 + 1, "A=1")).toBe(false);
  });
});

import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { sampleMemory } from "../../../src/measure/memory/sample.js";
import { type ProcessStat, readStat } from "../../../src/process/proc.js";

function own(): ProcessStat {
  const stat = readStat("self");
  if (!stat) throw new Error("this process has no /proc/self/stat");
  return stat;
}

it("stays proportional where a process ends while it is sampled", () => {
  const { pid } = spawnSync("true");
  const alone = sampleMemory([own()]);
  const both = sampleMemory([own(), { ...own(), pid }]);
  expect(alone.source).toBe("pss");
  expect(both.source).toBe("pss");
  expect(both.mib / alone.mib).toBeCloseTo(1, 1);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lastLines, logTail } from "../../src/process/log.js";
import { testRun } from "../support/run.js";

it("keeps the last 30 lines without colours and control characters", () => {
  const lines = Array.from({ length: 100 }, (_, index) => `\u001b[31mline\u001b[0m ${index}\r`);
  const tail = lastLines(`${lines.join("\n")}\n\u0000\n`);
  expect(tail.split("\n")).toHaveLength(30);
  expect(tail.startsWith("line 70\n")).toBe(true);
  expect(tail.endsWith("line 99")).toBe(true);
});

it("reads the end of a large file, and nothing of a missing one", async () => {
  await using run = testRun();
  const path = join(run.tempDir, "log");
  writeFileSync(path, `${"x".repeat(100_000)}\nthe end\n`);
  expect(logTail(path).endsWith("x\nthe end")).toBe(true);
  expect(logTail(path).length).toBeLessThan(9000);
  expect(logTail(join(run.tempDir, "none"))).toBe("");
});

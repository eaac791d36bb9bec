import { expect, it } from "vitest";
import type { GeneratorSetup } from "../../../src/measure/generators/contract.js";
import { runGenerator } from "../../../src/measure/generators/generator-run.js";
import { type TestRun, testRun } from "../../support/run.js";

/** Its load takes 0.3 s of CPU time, and another 0.5 s follow after the line that ends the load. */
const PROGRAM = `
import time
def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
work(0.3)
print("over", flush=True)
work(0.5)
`;

function setupOf(run: TestRun): GeneratorSetup {
  return {
    tool: { path: "python3", version: "3" },
    cpus: [0],
    env: { PATH: process.env.PATH ?? "" },
    python: "python3",
    tempDir: run.tempDir,
    signal: run.signal,
  };
}

it("counts the CPU time up to the end of the load", async () => {
  await using run = testRun();
  let ends = 0;
  const { clientCpuSec } = await runGenerator(setupOf(run), {
    argv: ["python3", "-c", PROGRAM],
    timeoutMs: 30_000,
    connections: 1,
    isOver: (stdout) => stdout.endsWith("\n"),
    onLoadEnd: () => {
      ends += 1;
    },
  });
  expect(ends).toBe(1);
  expect(clientCpuSec).toBeGreaterThanOrEqual(0.25);
  expect(clientCpuSec).toBeLessThan(0.7);
});

// Making it while connections are made stalled the two sides of a pair by 10 ms, each at another moment.
it("starts the program with room for a file of every connection", async () => {
  await using run = testRun();
  const { outcome } = await runGenerator(setupOf(run), {
    argv: ["python3", "-c", "import os; print(max(map(int, os.listdir('/proc/self/fd'))))"],
    timeoutMs: 30_000,
    connections: 300,
    onLoadEnd: () => {},
  });
  expect(Number(outcome.stdout)).toBeGreaterThanOrEqual(300);
});

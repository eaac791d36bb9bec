import { expect, it } from "vitest";
import { runGenerator } from "../../../src/measure/generators/generator-run.js";
import { testRun } from "../../support/run.js";

/** Its worker uses 0.3 s and stays; the program itself prints a line then. */
const PROGRAM = `
import os, time
read, write = os.pipe()
worker = os.fork()
if worker == 0:
    while time.process_time() < 0.3:
        pass
    os.write(write, b"x")
    time.sleep(0.5)
    os._exit(0)
os.read(read, 1)
print("over", flush=True)
os.waitpid(worker, 0)
`;

it.each([
  [true, 0.25, 0.7],
  [false, 0, 0.2],
])("counts the CPU time of workers that live at the end of the load: %s", async (hasWorkers, least, most) => {
  await using run = testRun();
  const setup = {
    tool: { path: "python3", version: "3" },
    cpus: [0],
    env: { PATH: process.env.PATH ?? "" },
    python: "python3",
    tempDir: run.tempDir,
    signal: run.signal,
  };
  let ends = 0;
  const { clientCpuSec } = await runGenerator(setup, {
    argv: ["python3", "-c", PROGRAM],
    timeoutMs: 30_000,
    isOver: (stdout) => stdout.endsWith("\n"),
    hasWorkers,
    onLoadEnd: () => {
      ends += 1;
    },
  });
  expect(ends).toBe(1);
  expect(clientCpuSec).toBeGreaterThanOrEqual(least);
  expect(clientCpuSec).toBeLessThan(most);
});

/** measureRow beside a real process that burns on the server's CPU. */
import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { formatCpuList } from "../../src/measure/machine/cpus.js";
import { measureRow } from "../../src/measure/row.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { testRun } from "../support/run.js";

it("measures again, and marks the case that stays disturbed", { timeout: 60_000 }, async () => {
  await using run = testRun();
  const context = testContext(run);
  const burn = ["-c", formatCpuList(context.cpus.server), "python3", "-c", "while True: pass"];
  const neighbour = spawn("taskset", burn, { stdio: "ignore" });
  try {
    const [result] = await measureRow(faultyRow("good"), plainPython(), context);
    if (result?.state !== "completed") throw new Error(JSON.stringify(result));
    expect(result.disturbed).toBe(true);
    expect(result.othersShare).toBeGreaterThan(0.1);
    expect(result.warnings?.join("\n")).toMatch(
      /Other processes took \d+ % of the CPU time of server and load generator in the least disturbed of 4 windows\./,
    );
    // One step of warm-up, and four windows.
    expect(context.loadSeconds).toHaveLength(5);
    expect(result.slices).toHaveLength(1);
  } finally {
    neighbour.kill("SIGKILL");
  }
});

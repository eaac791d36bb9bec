/** A real server with a planted function, and py-spy or a script in its place. */
import { join } from "node:path";
import type { PairSides } from "../../src/measure/pairs/pair-servers.js";
import type { SampleContext } from "../../src/measure/profile/sample-server.js";
import { providePySpy } from "../../src/provision/tools/py-spy.js";
import type { Tool } from "../../src/provision/types.js";
import { faultyRow, plainPython, testContext } from "./measure.js";
import { writeProgram } from "./provisioning.js";
import { serverScript, type TestRun } from "./run.js";
import { testTool } from "./tools.js";

/** It comes from the package index, so no machine lacks it. @throws Error with the reason where it cannot be had */
export async function testPySpy(): Promise<Tool> {
  const provided = await testTool(providePySpy);
  if (provided.missing !== undefined) throw new Error(provided.missing);
  return provided.tool;
}

/** @param turns of a loop for each request @param modes of servers/profiled.py */
export function profiledSide(turns: number, ...modes: string[]): PairSides["base"] {
  const row = faultyRow("good");
  const command = ["python3", serverScript("profiled.py"), "{port}", String(turns), ...modes];
  return { row: { ...row, server: { ...row.server, command } }, ready: plainPython() };
}

export function samplingContext(
  run: TestRun,
  sampler: Tool,
  change: Pick<SampleContext, "endLimitMs" | "sampledSec"> = {},
) {
  return {
    ...testContext(run),
    onPhase: () => {},
    connections: 8,
    sampler,
    mode: "native" as const,
    ratePerSec: 1000,
    extraEnv: {},
    ...change,
  };
}

/** The shell script as a program. */
export async function scriptedPySpy(run: TestRun, script: string): Promise<Tool> {
  return { path: await writeProgram(join(run.tempDir, "bin", "py-spy"), script), version: "0" };
}

/** Rows and contexts of measuring tests: a real server script, a real oha, short windows. */
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { readTopology, splitCpus } from "../../src/measure/machine/cpus.js";
import type { MeasureContext } from "../../src/measure/row.js";
import type { PlannedRow } from "../../src/plan/types.js";
import type { ReadyEnvironment } from "../../src/provision/types.js";
import { testOha } from "./oha.js";
import { plannedRow } from "./planned-row.js";
import { serverScript, type TestRun } from "./run.js";

/** The machine's own Python in the place of a server's environment. */
export function plainPython(): ReadyEnvironment {
  const found = spawnSync("python3", ["-c", "import sys, platform; print(sys.executable, platform.python_version())"], {
    encoding: "utf8",
  });
  const [executable = "", version = ""] = found.stdout.trim().split(" ");
  return {
    state: "ready",
    binDir: dirname(executable),
    pythonVersion: version,
    version: "1.0",
    packages: ["faulty==1.0"],
  };
}

/** A row on `servers/faulty.py MODE`. */
export function faultyRow(mode: string, change: Partial<PlannedRow> = {}, ...more: string[]): PlannedRow {
  const script = serverScript("faulty.py");
  const command = ["python3", script, mode, "{port}", ...more] as const;
  return plannedRow(`faulty/${mode}`, { name: "faulty", title: "Faulty", command, cwd: dirname(script) }, change);
}

export interface TestContext extends MeasureContext {
  readonly phases: string[];
  readonly loadSeconds: number[];
}

export function testContext(run: TestRun, change: Partial<MeasureContext> = {}): TestContext {
  const phases: string[] = [];
  const loadSeconds: number[] = [];
  return {
    run,
    cpus: splitCpus(readTopology()),
    generators: new Map([["oha", testOha()]]),
    profile: { name: "quick", warmupStepSec: 0.2, warmupMaxSec: 0.2, windowSec: 0.5, sweep: true },
    filesDir: run.tempDir,
    side: "head",
    env: process.env,
    onCase: async () => {},
    onPhase: (phase, detail) => phases.push([phase, detail].filter(Boolean).join(" ")),
    onLoad: (seconds) => loadSeconds.push(seconds),
    phases,
    loadSeconds,
    ...change,
  };
}

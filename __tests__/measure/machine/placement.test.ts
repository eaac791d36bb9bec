/** A server that gets another share of the machine than it was given. */
import { getPriority } from "node:os";
import { expect, it } from "vitest";
import { misplacement, otherPlaces } from "../../../src/measure/machine/placement.js";
import { type ServerProcess, startServer } from "../../../src/process/group.js";
import { eventually, type TestRun, testRun } from "../../support/run.js";

async function start(run: TestRun, change: string): Promise<ServerProcess> {
  const program = `import os, threading, time\n${change}\nprint("up", flush=True)\ntime.sleep(60)`;
  const command = ["python3", "-c", program];
  const server = await startServer(
    { command, cwd: run.tempDir, sourceEnv: process.env, extraEnv: {}, cpuList: "0" },
    run,
  );
  await eventually("its first line", () => server.logTail().includes("up"));
  return server;
}

/** Tests may run with a lower priority (`nice`). */
const OWN = getPriority();
const IN_THREAD = "threading.Thread(target=lambda: (os.nice(5), time.sleep(60)), daemon=True).start(); time.sleep(0.1)";

it.each([
  ["nothing", "", [0], undefined],
  ["its CPUs, to more than it was given", "", [1], /^the server changed its CPUs \(0, was started with 1\)/],
  [
    "its priority",
    "os.nice(3)",
    [0],
    RegExp(`^the server changed its priority \\(nice ${OWN + 3}, was started with nice ${OWN}\\)`),
  ],
  ["that of a thread", IN_THREAD, [0], RegExp(`its priority \\(nice ${OWN + 5}, `)],
  [
    "its class",
    "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
    [0],
    /its scheduling class \(SCHED_BATCH, was started with SCHED_OTHER\)/,
  ],
  ["that of a child", "os.fork() or os.nice(4); time.sleep(0.1)", [0], RegExp(`its priority \\(nice ${OWN + 4}`)],
])("says that a server changed %s", async (_, change, given, words) => {
  await using run = testRun();
  await using server = await start(run, change);
  const said = misplacement(server.processes(), given);
  if (words === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(words);
});

it("lets a server keep to some of its CPUs, as long as both sides do", async () => {
  await using run = testRun();
  await using server = await start(run, "");
  expect(misplacement(server.processes(), [0, 1])).toBeUndefined();
  expect(otherPlaces(server.processes(), server.processes())).toBeUndefined();
  const all = otherPlaces([{ pid: process.pid }], server.processes());
  expect(all).toMatch(/^base keeps to CPUs \S+, head to 0, so their times cannot be compared$/);
});

/** A running server is moved to other CPUs, with everything that it started. */
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { type ServerProcess, startServer } from "../../src/process/group.js";
import { readStat } from "../../src/process/proc.js";
import { eventually, type TestRun, testRun } from "../support/run.js";

/** Threads and children that start further ones all the time. */
const RESTLESS = `
import os, subprocess, sys, threading, time
def threads():
    while True:
        thread = threading.Thread(target=time.sleep, args=(0.05,))
        thread.start()
        time.sleep(0.005)
def children():
    while True:
        subprocess.run(["sleep", "0.02"])
for target in (threads, children, children):
    threading.Thread(target=target).start()
print("up", flush=True)
`;

async function start(run: TestRun, program: string): Promise<ServerProcess> {
  const server = await startServer(
    { command: ["python3", "-c", program], cwd: run.tempDir, sourceEnv: process.env, extraEnv: {}, cpuList: "0" },
    run,
  );
  await eventually("its first line", () => server.logTail().includes("up"));
  return server;
}

/** Undefined: it has just ended. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** CPU lists of all threads. */
function listsOf(server: ServerProcess): string[] {
  return server.processes().flatMap(({ pid }) =>
    (ifThere(() => readdirSync(`/proc/${pid}/task`)) ?? []).flatMap((thread) => {
      const status = ifThere(() => readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8")) ?? "";
      return /^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? [];
    }),
  );
}

describe.runIf(availableParallelism() > 1)("a server that is moved", () => {
  it("has no thread left on its former CPU, although it starts threads and processes all the time", async () => {
    await using run = testRun();
    await using server = await start(run, RESTLESS);
    expect(new Set(listsOf(server))).toEqual(new Set(["0"]));
    expect(await server.move([1])).toBe(true);
    for (let look = 0; look < 20; look += 1) {
      expect(new Set(listsOf(server))).toEqual(new Set(["1"]));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });

  it("is not moved where the CPU does not exist, and lives on", async () => {
    await using run = testRun();
    await using server = await start(run, "import time; print('up', flush=True); time.sleep(60)");
    expect(await server.move([4095])).toBe(false);
    expect(listsOf(server)).toEqual(["0"]);
    expect(await server.move([1])).toBe(true);
  });

  it("is not moved where it has stopped its supervisor", async () => {
    await using run = testRun();
    const program =
      "import os, signal, time; os.kill(os.getppid(), signal.SIGSTOP); print('up', flush=True); time.sleep(60)";
    await using server = await start(run, program);
    expect(readStat(server.pid)).toBeDefined();
    expect(await server.move([1])).toBe(false);
    // Its answer comes late, and is none to the next order.
    process.kill(readStat(server.pid)?.parent ?? 0, "SIGCONT");
    expect(await server.move([4095])).toBe(false);
    expect(await server.move([1])).toBe(true);
  });

  it("is not moved where it has chosen its CPUs itself: the other side's server keeps those", async () => {
    await using run = testRun();
    const program = "import os, time; os.sched_setaffinity(0, {0, 1}); print('up', flush=True); time.sleep(60)";
    await using server = await start(run, program);
    expect(await server.move([1])).toBe(false);
    expect(listsOf(server)).toEqual(["0-1"]);
  });
});

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { SetupError } from "../../src/errors.js";
import { RUN_MARKER } from "../../src/process/environment.js";
import { type ServerProcess, ServerStartError, startServer } from "../../src/process/group.js";
import { listProcesses, readStat } from "../../src/process/proc.js";
import { endProcesses, findRun, sweepRun } from "../../src/process/sweep.js";
import { startWatchdog } from "../../src/process/watchdog.js";
import { eventually, serverScript, type TestRun, testRun } from "../support/run.js";

const STUBBORN = serverScript("stubborn.py");

async function start(run: TestRun, command: string[]): Promise<ServerProcess> {
  const sourceEnv = { ...process.env, GITHUB_TOKEN: "secret", INPUT_X: "secret" };
  return await startServer(
    { command, cwd: run.tempDir, sourceEnv, extraEnv: { GREETING: "hello" }, cpuList: "0" },
    run,
  );
}

/** Those of its sleeping processes: parent, child and daemon. */
async function allUp(server: ServerProcess): Promise<void> {
  await eventually("all of the stubborn processes", () => {
    const log = server.logTail();
    return log.includes("up") && log.includes("wiped") && server.processes().length === 3;
  });
}

describe("a server that ignores TERM, forks away and wipes its environment", () => {
  it("is gone after stop, with everything it started", async () => {
    await using run = testRun();
    let pids: number[];
    {
      await using server = await start(run, ["python3", STUBBORN]);
      await allUp(server);
      pids = server.processes().map((one) => one.pid);
      const sessions = new Set(server.processes().map((one) => one.session));
      expect(sessions.size).toBe(2);
      expect(readdirSync(join(run.tempDir, "sessions"))).toEqual([String(server.pid)]);
      await server.stop();
      expect(server.exit).toEqual({ code: null, signal: "SIGKILL" });
    }
    expect(pids.filter((pid) => readStat(pid) !== undefined && readStat(pid)?.state !== "Z")).toEqual([]);
    expect(readdirSync(join(run.tempDir, "sessions"))).toEqual([]);
    expect(readdirSync(run.tempDir)).toEqual(["sessions"]);
  });

  it("is found by the sweep of its run, and another run's is not", async () => {
    await using run = testRun();
    await using other = testRun();
    await using server = await start(run, ["python3", STUBBORN]);
    await using bystander = await start(other, ["sleep", "60"]);
    await allUp(server);
    expect(findRun(run)).toHaveLength(3);
    expect(await sweepRun(run, 100)).toEqual([]);
    expect(findRun(run)).toEqual([]);
    expect(bystander.exit).toBeUndefined();
    expect(findRun(other).map((one) => one.pid)).toEqual([bystander.pid]);
  });
});

describe("a well-behaved server", () => {
  it("sees the allow-listed environment and its own, and ends by TERM", async () => {
    await using run = testRun();
    await using server = await start(run, [
      "python3",
      "-c",
      "import os, time; print(dict(os.environ), flush=True); time.sleep(60)",
    ]);
    await eventually("its environment", () => server.logTail().includes("}"));
    expect(server.logTail()).toContain(`'${RUN_MARKER}': '${run.id}'`);
    expect(server.logTail()).toContain("'GREETING': 'hello'");
    expect(server.logTail()).not.toContain("secret");
    await server.stop();
    expect(server.exit).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("runs on the given CPUs", async () => {
    await using run = testRun();
    await using server = await start(run, [
      "python3",
      "-c",
      "import os; print('on', os.sched_getaffinity(0), flush=True)",
    ]);
    await server.exited;
    expect(server.logTail()).toBe("on {0}");
    expect(server.exit).toEqual({ code: 0, signal: null });
  });
});

describe("what cannot be started", () => {
  it("names the folder that is missing", async () => {
    await using run = testRun();
    const cwd = join(run.tempDir, "gone");
    const promise = startServer({ command: ["true"], cwd, sourceEnv: process.env, extraEnv: {}, cpuList: "0" }, run);
    await expect(promise).rejects.toThrow(ServerStartError);
    await expect(promise).rejects.toThrow(cwd);
  });
  it("names util-linux where taskset is missing", async () => {
    await using run = testRun();
    const sourceEnv = { PATH: run.tempDir };
    const promise = startServer({ command: ["true"], cwd: run.tempDir, sourceEnv, extraEnv: {}, cpuList: "0" }, run);
    await expect(promise).rejects.toThrow(SetupError);
    await expect(promise).rejects.toThrow("util-linux");
  });
  it("says in its log that the program is missing", async () => {
    await using run = testRun();
    await using server = await start(run, ["no-such-server"]);
    await server.exited;
    expect(server.exit?.code).toBe(127);
    expect(server.logTail()).toContain("no-such-server");
  });
});

it("does not signal a process that got a pid anew", async () => {
  const child = spawn("sleep", ["60"]);
  try {
    const stat = readStat(child.pid ?? 0);
    if (stat === undefined) throw new Error("sleep did not start");
    let looks = 0;
    await endProcesses(() => (looks++ < 5 ? [{ ...stat, startTime: "1" }] : []), 0);
    expect(readStat(stat.pid)?.startTime).toBe(stat.startTime);
  } finally {
    child.kill("SIGKILL");
  }
});

describe("the watchdog", () => {
  it("leaves nothing of a run whose own process was killed", async () => {
    await using run = testRun();
    await using scratch = testRun();
    const program = join(scratch.tempDir, "killed-parent.mjs");
    buildSync({
      entryPoints: [new URL("../support/killed-parent.ts", import.meta.url).pathname],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
    });
    const parent = spawn(process.execPath, [program, run.id, run.tempDir, STUBBORN], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    parent.stdout.on("data", (piece) => {
      said += String(piece);
    });
    await eventually("the server of the parent", () => said.includes("\n"));
    const { server, watchdog } = JSON.parse(said) as { server: number; watchdog: number };
    await eventually("all of its processes", () => findRun(run).length === 3);
    const pids = [server, watchdog, ...findRun(run).map((one) => one.pid)];
    parent.kill("SIGKILL");
    await eventually("the end of the temporary folder", () => !existsSync(run.tempDir));
    await eventually("the end of all processes", () => listProcesses().every((one) => !pids.includes(one.pid)));
  });

  it("does nothing when it is called off", async () => {
    await using run = testRun();
    await using server = await start(run, ["sleep", "60"]);
    let pid: number;
    {
      await using watchdog = startWatchdog(run, process.env);
      pid = watchdog.pid;
      expect(readStat(pid)?.session).toBe(pid);
    }
    expect(readStat(pid)).toBeUndefined();
    expect(existsSync(run.tempDir)).toBe(true);
    expect(server.exit).toBeUndefined();
  });

  it("outlives the signals of a terminal", async () => {
    await using run = testRun();
    await using watchdog = startWatchdog(run, process.env);
    // The trap is set first of all; a shell needs a moment to get there.
    await eventually(
      "the trap",
      () =>
        !spawnSync("grep", ["SigIgn", `/proc/${watchdog.pid}/status`], { encoding: "utf8" }).stdout.endsWith("0000\n"),
    );
    for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) process.kill(watchdog.pid, signal);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(readStat(watchdog.pid)?.state).toBe("S");
  });
});

/** No process of a server outlives its run, however it hides: real processes that leave session, parent and environment. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { type ServerProcess, startServer } from "../../src/process/group.js";
import { listProcesses, readProc } from "../../src/process/proc.js";
import { findRun, sweepRun } from "../../src/process/sweep.js";
import { runTool } from "../../src/provision/tools/run-tool.js";
import { eventually, serverScript, type TestRun, testRun } from "../support/run.js";

const ESCAPING = serverScript("escaping.py");

async function start(run: TestRun, ...how: string[]): Promise<ServerProcess> {
  const command = ["python3", ESCAPING, pidsFile(run), ...how];
  return await startServer({ command, cwd: run.tempDir, sourceEnv: process.env, extraEnv: {}, cpuList: "0" }, run);
}

const silent = { started: () => {}, update: () => {}, finished: () => {}, failed: () => {}, note: () => {} };

const pidsFile = (run: TestRun) => join(run.tempDir, "pids");

function hidden(run: TestRun): number[] {
  return existsSync(pidsFile(run)) ? readFileSync(pidsFile(run), "utf8").trim().split("\n").map(Number) : [];
}

function alive(pids: readonly number[]): number[] {
  const all = new Set(listProcesses().map(({ pid }) => pid));
  return pids.filter((pid) => all.has(pid));
}

/** For a test that fails: nothing is left of it. */
function endHidden(run: TestRun): Disposable {
  return {
    [Symbol.dispose]: () => {
      for (const pid of alive(hidden(run))) process.kill(pid, "SIGKILL");
    },
  };
}

async function up(server: ServerProcess): Promise<void> {
  await eventually("the hidden processes", () => server.logTail().includes("up"));
}

describe("processes that hide from their run", () => {
  it("belong to their server, are ended with it, and are named", async () => {
    const warnings: string[] = [];
    await using run = Object.assign(testRun(), { warn: (text: string) => warnings.push(text) });
    using _ = endHidden(run);
    await using server = await start(run);
    await up(server);
    const pids = hidden(run);
    expect(pids).toHaveLength(2);
    expect(server.processes().map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
    await server.stop();
    expect(alive(pids)).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^A server hid 2 processes; .* ended: \/bin\/sh -c echo /)]);
  });

  it("are ended where the server itself ended long before", async () => {
    await using run = testRun();
    using _ = endHidden(run);
    await using server = await start(run, "end");
    expect(await server.exited).toEqual({ code: 7, signal: null });
    const pids = hidden(run);
    expect(alive(pids)).toEqual(pids);
    await server.stop();
    expect(alive(pids)).toEqual([]);
  });

  it("are found by the sweep of the run", async () => {
    await using run = testRun();
    using _ = endHidden(run);
    await using server = await start(run);
    await up(server);
    const pids = hidden(run);
    expect(findRun(run).map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
    expect(await sweepRun(run, 100)).toEqual([]);
    expect(alive(pids)).toEqual([]);
    await server.exited;
  });

  it("are ended where the supervisor was stopped by them", async () => {
    await using run = testRun();
    using _ = endHidden(run);
    await using server = await start(run, "stop");
    await up(server);
    const pids = hidden(run);
    await server.stop();
    expect(alive(pids)).toEqual([]);
  });

  it("are reported as possible where the supervisor was killed by them", async () => {
    const warnings: string[] = [];
    await using run = Object.assign(testRun(), { warn: (text: string) => warnings.push(text) });
    using _ = endHidden(run);
    await using server = await start(run, "kill");
    await up(server);
    expect((await server.exited).signal).toBe("SIGKILL");
    await server.stop();
    expect(warnings).toEqual([
      expect.stringMatching(/^A server killed its supervisor: its hidden processes may still run/),
    ]);
  });

  it("are ended where the run's own process was killed", async () => {
    await using run = testRun();
    await using scratch = testRun();
    using _ = endHidden(scratch);
    const program = join(scratch.tempDir, "killed-parent.mjs");
    const entry = new URL("../support/killed-parent.ts", import.meta.url).pathname;
    buildSync({
      entryPoints: [entry],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
    });
    const args = [program, run.id, run.tempDir, ESCAPING, pidsFile(scratch)];
    const parent = spawn(process.execPath, args, { stdio: "ignore" });
    await eventually("the hidden processes", () => hidden(scratch).length === 2);
    const pids = [...hidden(scratch), ...findRun(run).map(({ pid }) => pid)];
    parent.kill("SIGKILL");
    await eventually("the end of all processes", () => alive(pids).length === 0);
    await eventually("the end of the temporary folder", () => !existsSync(run.tempDir));
  });
});

describe("processes that hide from an installer", () => {
  const PYTHON = "/usr/bin/python3";
  /** As uv runs a build. */
  const install = async (run: TestRun, ...how: string[]) =>
    await runTool(
      { run, env: { ...process.env }, progress: silent, cache: run.tempDir },
      {
        step: "installing x",
        command: [PYTHON, ESCAPING, pidsFile(run), ...how],
        keeper: PYTHON,
        remedy: () => "do this",
      },
    );

  it("end with it, and its exit code is told", async () => {
    await using run = testRun();
    using _ = endHidden(run);
    await expect(install(run, "end")).rejects.toThrow("ended with exit code 7; do this");
    expect(hidden(run)).toHaveLength(2);
    expect(alive(hidden(run))).toEqual([]);
  });

  it("end where the run is ended meanwhile", async () => {
    await using run = testRun();
    using _ = endHidden(run);
    const installing = install(run).catch((error: unknown) => error);
    await eventually("the hidden processes", () => hidden(run).length === 2);
    run.controller.abort(new Error("cancelled"));
    expect(await installing).toMatchObject({ message: "cancelled" });
    expect(await sweepRun(run)).toEqual([]);
    await eventually("the end of all processes", () => alive(hidden(run)).length === 0);
  });
});

describe("the supervisor of a server", () => {
  it("sleeps, is no process of the server, knows no variable of it, and is gone with it", async () => {
    await using run = testRun();
    const extraEnv = { GREETING: "hello" };
    const command = ["python3", "-c", "import os, time; print(os.getppid(), flush=True); time.sleep(60)"];
    const begun = { command, cwd: run.tempDir, sourceEnv: { ...process.env, SECRET: "x" }, extraEnv, cpuList: "0" };
    await using server = await startServer(begun, run);
    await eventually("its parent", () => server.logTail() !== "");
    const supervisor = Number(server.logTail());
    expect(readProc(`${supervisor}/environ`)).not.toMatch(/GREETING|SECRET|SERVER_BENCH/);
    expect(server.processes().map(({ pid }) => pid)).toEqual([server.pid]);
    expect(server.processes()[0]?.session).toBe(server.pid);
    const ticks = () => listProcesses().find(({ pid }) => pid === supervisor)?.cpuTicks;
    const before = ticks();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(ticks()).toBe(before);
    await server.stop();
    expect(alive([supervisor])).toEqual([]);
  });

  it("gives a server the signals' defaults and no file of its own", async () => {
    await using run = testRun();
    const script = "grep -E 'Sig(Ign|Blk)' /proc/self/status; ls /proc/self/fd";
    const command = ["sh", "-c", script];
    await using server = await startServer(
      { command, cwd: run.tempDir, sourceEnv: process.env, extraEnv: {}, cpuList: "0" },
      run,
    );
    await server.exited;
    const [blocked, ignored, ...files] = server.logTail().split("\n");
    expect(blocked).toMatch(/SigBlk:\s+0+$/);
    expect(ignored).toMatch(/SigIgn:\s+0+$/);
    // 3 is the folder that ls reads.
    expect(files).toEqual(["0", "1", "2", "3"]);
  });
});

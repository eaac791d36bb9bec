/** Processes that end while they are counted. The program that asks them is a script, and they do not run below Valgrind. */
import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Callgrind } from "../../../src/measure/instructions/callgrind.js";

/** A child that has ended, and that its parent has not waited for. */
const ZOMBIE = "import os, time\npid = os.fork()\nif pid == 0: os._exit(0)\nprint(pid, flush=True)\ntime.sleep(60)";

let temp: string;
beforeEach(async () => {
  temp = await mkdtemp(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rm(temp, { recursive: true, force: true }));

async function opened(): Promise<{ readonly callgrind: Callgrind; readonly folder: string }> {
  const vgdb = join(temp, "vgdb");
  await writeFile(vgdb, "#!/bin/sh\necho 'syscall failed: no such pipe' >&2\nexit 1\n");
  await chmod(vgdb, 0o755);
  const folder = join(temp, "dumps");
  const callgrind = await Callgrind.open({ path: "valgrind", vgdb, version: "3.19.0" }, folder, {});
  return { callgrind, folder };
}

it("leaves out a process that has ended and is still in the list", async () => {
  const parent = spawn("python3", ["-c", ZOMBIE], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const pid = Number(await new Promise((resolve) => parent.stdout.once("data", (data) => resolve(String(data)))));
    const { callgrind, folder } = await opened();
    await writeFile(join(folder, `vgdb-from-vgdb-to-${pid}-by-user-on-host`), "");
    expect(await callgrind.count([pid])).toBe(0);
  } finally {
    parent.kill("SIGKILL");
  }
});

it("says so where a process that lives does not answer", { timeout: 30_000 }, async () => {
  const { callgrind, folder } = await opened();
  await writeFile(join(folder, `vgdb-from-vgdb-to-${process.pid}-by-user-on-host`), "");
  await expect(callgrind.count([process.pid])).rejects.toThrow(
    `process ${process.pid} did not answer vgdb instrumentation on: syscall failed: no such pipe`,
  );
});

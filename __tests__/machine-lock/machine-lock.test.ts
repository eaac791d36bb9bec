/** Two runs on one machine, as two processes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { describeHolder } from "../../src/machine-lock/holder.js";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";
import { MachineLock, type TakeOptions } from "../../src/machine-lock/machine-lock.js";
import type { RunContext } from "../../src/process/run.js";
import { processesWith, tempFolder } from "../support/cli.js";
import { ROOT, runIn } from "../support/own-set.js";

const NOBODY = 65534;

function runContext(signal = new AbortController().signal): RunContext {
  return { id: `run-${Math.random()}`, tempDir: tempFolder(), signal };
}

function shown() {
  const lines: string[] = [];
  const progress: TakeOptions["progress"] = {
    waiting: async (text, until) => void lines.push(...(until === null ? [text] : [text, until])),
    update: () => {},
    over: async () => void lines.push("over"),
  };
  return { lines, options: { waitMinutes: 1, what: "mine: 2 rows", expectedSec: 120, progress } };
}

function lockAt(path: string, env: NodeJS.ProcessEnv = process.env): MachineLock {
  const lock = MachineLock.open({ ...env, [LOCK_VARIABLE]: path });
  onTestFinished(() => lock[Symbol.asyncDispose]());
  return lock;
}

const aLock = () => join(tempFolder(), "machine.lock");

/** Another process that holds the lock until it ends, with this note. */
async function otherRun(path: string, note: string, uid?: number): Promise<ChildProcess> {
  const script = `
    const fs = require("node:fs");
    const file = fs.openSync(process.argv[1], "r+");
    require("node:child_process").spawnSync("flock", ["-x", "3"], { stdio: ["ignore", "inherit", "inherit", file] });
    fs.writeSync(file, process.argv[2].replace("PID", process.pid));
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", script, path, note], {
    stdio: ["ignore", "pipe", "inherit"],
    ...(uid !== undefined && { uid }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (!child.stdout) throw new Error("no output");
  await once(child.stdout, "data");
  return child;
}

const NOTE = '{"pid":PID,"user":"runner","since":"2026-11-22T12:03:10.000Z","what":"http2: 6 rows","expectedEnd":null}';

describe("a run that comes second", () => {
  test("names the run that measures, waits, and continues as soon as that run is killed", async () => {
    const path = aLock();
    const lock = lockAt(path);
    const other = await otherRun(path, NOTE);
    const { lines, options } = shown();
    const taken = lock.take(runContext(), options);
    await expect
      .poll(() => lines)
      .toEqual([
        `process ${other.pid} of runner, since 12:03 UTC (http2: 6 rows), expected end unknown; this run waits for it, 1 min at most`,
      ]);
    expect(await Promise.race([taken, sleep(300, "waiting")])).toBe("waiting");
    other.kill("SIGKILL");
    await taken;
    expect(lines.at(-1)).toBe("over");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid, what: "mine: 2 rows" });
  });

  test("says when the other one is expected to end", async () => {
    const path = aLock();
    const lock = lockAt(path);
    const expectedEnd = new Date(Date.now() + 600_000).toISOString();
    const other = await otherRun(path, NOTE.replace("null", JSON.stringify(expectedEnd)));
    const { lines, options } = shown();
    const taken = lock.take(runContext(), options);
    await expect.poll(() => lines).toEqual([expect.stringMatching(/^process \d+ of runner/), expectedEnd]);
    other.kill("SIGKILL");
    await taken;
  });

  test("names no end that has passed already", async () => {
    const path = aLock();
    const lock = lockAt(path);
    const other = await otherRun(path, NOTE.replace("null", JSON.stringify("2020-01-01T00:00:00.000Z")));
    const { lines, options } = shown();
    const taken = lock.take(runContext(), options);
    await expect.poll(() => lines).toEqual([expect.stringContaining("past its expected end")]);
    other.kill("SIGKILL");
    await taken;
  });

  test("gives up when its time is over, and leaves no process", async () => {
    const path = aLock();
    const lock = lockAt(path);
    await otherRun(path, NOTE);
    const { options } = shown();
    const run = runContext();
    await expect(lock.take(run, { ...options, waitMinutes: 0.01 })).rejects.toThrow(
      /^another run measures on this machine, and still does after 0\.01 min: process \d+ of runner, since 12:03 UTC.* The lock file is \S+$/,
    );
    await expect.poll(() => processesWith(run.id)).toEqual([]);
  });

  test("with --wait 0 gives up at once", async () => {
    const path = aLock();
    const lock = lockAt(path);
    await otherRun(path, NOTE);
    const { lines, options } = shown();
    await expect(lock.take(runContext(), { ...options, waitMinutes: 0 })).rejects.toThrow(
      /measures on this machine: process \d+ of runner.*wait longer with --wait MINUTES/,
    );
    expect(lines).toEqual([]);
  });

  test("can be interrupted", async () => {
    const path = aLock();
    const lock = lockAt(path);
    await otherRun(path, NOTE);
    const abort = new AbortController();
    const { lines, options } = shown();
    const taken = lock.take(runContext(abort.signal), options);
    await expect.poll(() => lines.length).toBe(1);
    abort.abort(new Error("interrupted"));
    await expect(taken).rejects.toThrow("interrupted");
  });

  test.each([
    ["no note", "", "an unknown process"],
    ["no JSON", "{", "an unknown process"],
    ["another form", '{"pid":"4"}', "an unknown process"],
    [
      "control characters and length",
      NOTE.replace("runner", `\\u001b[31m${"x".repeat(1000)}`),
      `of [31m${"x".repeat(96)}, since`,
    ],
  ])("believes only the form of a note: %s", async (_, note, said) => {
    const path = aLock();
    const lock = lockAt(path);
    await otherRun(path, note);
    await expect(lock.take(runContext(), { ...shown().options, waitMinutes: 0 })).rejects.toThrow(said);
  });
});

test("what is expected of the other run is said in words", () => {
  const holder = { pid: 7, user: "", since: "2026-11-22T12:03:10.000Z", what: "http2: 6 rows" };
  const now = new Date("2026-11-22T12:10:00.000Z");
  const at = (expectedEnd: string) => describeHolder({ ...holder, expectedEnd }, now);
  expect(at("2026-11-22T12:15:00.000Z")).toBe(
    "process 7, since 12:03 UTC (http2: 6 rows), expected to end in about 5 min",
  );
  expect(at("2026-11-22T12:09:00.000Z")).toMatch(/, past its expected end$/);
});

test("the lock lasts until the last process that holds its file has ended", async () => {
  const path = aLock();
  const first = lockAt(path);
  await first.take(runContext(), shown().options);
  // As the watchdog does.
  const heir = spawn("sleep", ["30"], { stdio: ["ignore", "ignore", "ignore", first.descriptor] });
  onTestFinished(() => void heir.kill("SIGKILL"));
  const second = lockAt(path);
  const never = { ...shown().options, waitMinutes: 0 };
  await expect(second.take(runContext(), never)).rejects.toThrow("another run measures");
  // A run that has ended regularly frees it although the watchdog still lives.
  await first.release();
  await second.take(runContext(), never);
});

test("a lock that cannot be freed at once costs nothing of the run, and is free when the file is closed", async () => {
  const path = aLock();
  const env = { PATH: process.env.PATH, [LOCK_VARIABLE]: path };
  const lock = MachineLock.open(env);
  await lock.take(runContext(), shown().options);
  env.PATH = tempFolder();
  expect(await lock.release()).toBeUndefined();
  await lock[Symbol.asyncDispose]();
  await lockAt(path).take(runContext(), { ...shown().options, waitMinutes: 0 });
});

describe("the file", () => {
  test("everybody may lock it, whatever the umask", async () => {
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    const path = aLock();
    lockAt(path);
    expect(statSync(path).mode & 0o777).toBe(0o666);
  });

  test.skipIf(process.getuid?.() !== 0)("another user's run is waited for", async () => {
    const folder = tempFolder();
    chmodSync(folder, 0o1777);
    const path = join(folder, "machine.lock");
    const lock = lockAt(path);
    const other = await otherRun(path, NOTE, NOBODY);
    await expect(lock.take(runContext(), { ...shown().options, waitMinutes: 0 })).rejects.toThrow(
      `process ${other.pid} of runner`,
    );
  });

  test("that was removed while a run measured is reported to its reader", async () => {
    const path = aLock();
    const lock = lockAt(path);
    await lock.take(runContext(), shown().options);
    rmSync(path);
    expect(await lock.release()).toBe(
      `${path} was removed while this run measured: another run may have measured at the same time.`,
    );
  });

  test("that was removed before the lock was taken is made anew", async () => {
    const path = aLock();
    const lock = lockAt(path);
    rmSync(path);
    await lock.take(runContext(), shown().options);
    expect(existsSync(path)).toBe(true);
    const second = lockAt(path);
    await expect(second.take(runContext(), { ...shown().options, waitMinutes: 0 })).rejects.toThrow(
      `process ${process.pid}`,
    );
    expect(await lock.release()).toBeUndefined();
  });

  test("a link, a folder or a relative name is refused", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "target"), "");
    symlinkSync(join(folder, "target"), join(folder, "link"));
    mkdirSync(join(folder, "folder"));
    const open = (path: string) => MachineLock.open({ [LOCK_VARIABLE]: path });
    expect(() => open(join(folder, "link"))).toThrow(/cannot open .*link, by which runs on this machine wait/);
    expect(() => open(join(folder, "folder"))).toThrow(/remove it, or name another file with SERVER_BENCH_LOCK/);
    expect(() => open("some.lock")).toThrow('SERVER_BENCH_LOCK "some.lock" is not an absolute path');
  });
});

test("without flock the message names what to install", async () => {
  const lock = lockAt(aLock(), { PATH: tempFolder() });
  await expect(lock.take(runContext(), shown().options)).rejects.toThrow("apt-get install util-linux");
});

test("a run that has nothing to measure waits for nobody", async () => {
  const path = aLock();
  writeFileSync(path, "");
  await otherRun(path, NOTE);
  vi.stubEnv(LOCK_VARIABLE, path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const out = join(tempFolder(), "out");
  const run = await runIn(ROOT, out, "interfaces/rsgi-bytes", "--python", "3.99", "--wait", "0");
  expect(run.output).toContain("Python 3.99 is not there");
  expect([run.code, run.errors]).toEqual([3, expect.not.stringContaining("another run measures")]);
});

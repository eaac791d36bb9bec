/** What a run left that was killed with its watchdog. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { noteOwner, removeAbandoned } from "../../src/process/abandoned.js";
import { RUN_MARKER } from "../../src/process/environment.js";
import { readStat } from "../../src/process/proc.js";
import { tempFolder } from "../support/cli.js";
import { eventually } from "../support/run.js";

function sleeper(run?: string): ChildProcess {
  const env = { PATH: process.env.PATH, ...(run !== undefined && { [RUN_MARKER]: run }) };
  const child = spawn("sleep", ["60"], { env, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A run's folder, and what its note says beside the truth. */
function leftBy(folder: string, name: string, id: string, change: Readonly<Record<string, unknown>> = {}): string {
  const tempDir = join(folder, name);
  mkdirSync(tempDir);
  noteOwner({ id, tempDir });
  const owner = JSON.parse(readFileSync(join(tempDir, "owner"), "utf8"));
  writeFileSync(join(tempDir, "owner"), JSON.stringify({ ...owner, ...change }));
  return tempDir;
}

const DEAD = { startTime: "1" };

test("its processes are ended and its folder is removed, and only those", async () => {
  const folder = tempFolder();
  const dead = leftBy(folder, "server-bench-a", "run-dead", DEAD);
  const live = leftBy(folder, "server-bench-b", "run-live");
  const [ofDead, ofLive, ofNobody] = [sleeper("run-dead"), sleeper("run-live"), sleeper()];
  expect(await removeAbandoned(folder)).toEqual([dead]);
  await eventually("the end of its process", () => ofDead.exitCode !== null || ofDead.signalCode !== null);
  expect([existsSync(dead), existsSync(live)]).toEqual([false, true]);
  expect([ofLive, ofNobody].map(({ exitCode, signalCode }) => [exitCode, signalCode])).toEqual([
    [null, null],
    [null, null],
  ]);
});

test("a process that has ended owns nothing any more", async () => {
  const folder = tempFolder();
  const child = sleeper();
  const pid = child.pid ?? 0;
  const tempDir = leftBy(folder, "server-bench-a", "run", { pid, startTime: readStat(pid)?.startTime });
  expect(await removeAbandoned(folder)).toEqual([]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await removeAbandoned(folder)).toEqual([tempDir]);
});

test.each([
  ["another name", (folder: string) => renameSync(join(folder, "server-bench-a"), join(folder, "mine"))],
  ["no note", (folder: string) => renameSync(join(folder, "server-bench-a/owner"), join(folder, "server-bench-a/x"))],
  ["a note that is none", (folder: string) => writeFileSync(join(folder, "server-bench-a/owner"), '{"pid": 1}')],
  [
    "a link in its place",
    (folder: string) => {
      renameSync(join(folder, "server-bench-a"), join(folder, "elsewhere"));
      symlinkSync(join(folder, "elsewhere"), join(folder, "server-bench-a"));
    },
  ],
])("what is not known to be ours stays: %s", async (_, change) => {
  const folder = tempFolder();
  leftBy(folder, "server-bench-a", "run", DEAD);
  change(folder);
  expect(await removeAbandoned(folder)).toEqual([]);
});

test("a file with such a name is left alone", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "server-bench-x"), "the output of a run");
  const dead = leftBy(folder, "server-bench-y", "run", DEAD);
  expect(await removeAbandoned(folder)).toEqual([dead]);
  expect(existsSync(join(folder, "server-bench-x"))).toBe(true);
});

test.each([
  ["machine", { host: "another" }],
  ["container", { namespace: "pid:[1]" }],
])("a process of another %s may live", async (_, change) => {
  const folder = tempFolder();
  leftBy(folder, "server-bench-a", "run", { ...DEAD, ...change });
  expect(await removeAbandoned(folder)).toEqual([]);
});

test("another user's folder stays: its note could name a run of ours", async () => {
  const folder = tempFolder();
  const tempDir = leftBy(folder, "server-bench-a", "run-live", DEAD);
  const live = sleeper("run-live");
  const anotherUser = (process.getuid?.() ?? 0) + 1;
  expect(await removeAbandoned(folder, anotherUser)).toEqual([]);
  expect([existsSync(tempDir), live.exitCode, live.signalCode]).toEqual([true, null, null]);
});

/** Which processes belong to a server, beside those of its session. */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { Members, SERVER_MARKER } from "../../src/process/members.js";
import { readStat } from "../../src/process/proc.js";
import type { ProcessName } from "../../src/process/supervised.js";

const MARKER = "marker-of-this-test";
const NOBODY: ProcessName = { pid: 0, startTime: "" };
/** A start is known to 10 ms. */
const TICK_MS = 30;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** In a session of its own. */
async function start(env: Readonly<Record<string, string>>): Promise<ProcessName> {
  const child = spawn("sleep", ["60"], {
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  started.push(child);
  await sleep(TICK_MS);
  const { pid = 0 } = child;
  return { pid, startTime: readStat(pid)?.startTime ?? "" };
}

it("finds what has the server's marker and is not older than the server", async () => {
  const older = await start({ [SERVER_MARKER]: MARKER });
  const root = await start({});
  const younger = await start({ [SERVER_MARKER]: MARKER });
  const stranger = await start({ [SERVER_MARKER]: "another" });
  const found = new Members(root, MARKER, NOBODY).find().map(({ pid }) => pid);
  expect(found.toSorted((a, b) => a - b)).toEqual([root.pid, younger.pid].toSorted((a, b) => a - b));
  expect(found).not.toContain(older.pid);
  expect(found).not.toContain(stranger.pid);
});

/** The memory of servers: what they share counts once, and the exact figure is read seldom. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { ExactLooks, MemoryLimit, treeOf } from "../../src/process/memory-use.js";

describe("the exact figure", () => {
  test("is not read while the simple sum is within the limit", () => {
    const looks = new ExactLooks(100);
    expect([looks.isDue(0, 0), looks.isDue(100, 1)]).toEqual([false, false]);
  });

  test("is read above the limit, and again only after 10 % more or half a minute", () => {
    const looks = new ExactLooks(100);
    expect(looks.isDue(120, 0)).toBe(true);
    looks.wasBelow(120, 0);
    expect([looks.isDue(120, 500), looks.isDue(131, 1000), looks.isDue(132, 1500)]).toEqual([false, false, true]);
    looks.wasBelow(132, 1500);
    expect([looks.isDue(132, 31_499), looks.isDue(132, 31_500)]).toEqual([false, true]);
  });
});

/** A process with a child that shares 64 MiB with it. */
async function sharing(): Promise<readonly number[]> {
  const script = `
import os, sys, time
shared = bytearray(os.urandom(1024) * 65536)
pid = os.fork()
if pid:
    print("ready", flush=True)
time.sleep(60)`;
  const child = spawn("python3", ["-c", script], { stdio: ["ignore", "pipe", "inherit"], detached: true });
  const { pid } = child;
  if (pid === undefined || !child.stdout) throw new Error("no python3");
  onTestFinished(() => void process.kill(-pid, "SIGKILL"));
  await once(child.stdout, "data");
  return treeOf(pid);
}

test("pages that two processes share count once", async () => {
  const pids = await sharing();
  expect(pids).toHaveLength(2);
  expect(new MemoryLimit(110).exceededBy(pids)).toBeUndefined();
  const used = new MemoryLimit(50).exceededBy(pids);
  expect(used).toBeGreaterThan(64);
  expect(used).toBeLessThan(110);
});

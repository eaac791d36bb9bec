import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { withLock } from "../../../src/provision/cache/lock.js";
import { provisioning } from "../../support/provisioning.js";

const { signal } = new AbortController();

async function lockPath(): Promise<string> {
  return join((await provisioning()).root, "thing.lock");
}

/** What a process that has ended would have left. */
async function deadHolder(): Promise<string> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return JSON.stringify({ pid: child.pid, started: "1", host: hostname(), token: "x" });
}

describe("withLock", () => {
  it("lets one in at a time, and leaves no file", async () => {
    const path = await lockPath();
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await delay(20);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => withLock(path, { signal }, work)));
    expect(most).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  it("takes over the lock of a process that is gone, also when many try", async () => {
    const path = await lockPath();
    await writeFile(path, await deadHolder());
    const order: string[] = [];
    const work = async (): Promise<void> => {
      order.push("in");
      await delay(10);
      order.push("out");
    };
    await Promise.all(Array.from({ length: 4 }, () => withLock(path, { signal }, work)));
    expect(order.join(" ")).toBe("in out in out in out in out");
  });

  it("takes over a lock whose process id belongs to another process by now, or that nobody can read", async () => {
    for (const content of [JSON.stringify({ pid: process.pid, started: "1", host: hostname(), token: "x" }), "", "{"]) {
      const path = await lockPath();
      await writeFile(path, content);
      expect(await withLock(path, { signal }, async () => "done")).toBe("done");
    }
  });

  it("takes over the lock of another host once it is silent", async () => {
    const path = await lockPath();
    await writeFile(path, JSON.stringify({ pid: 1, started: "1", host: "elsewhere.invalid", token: "x" }));
    const waiting: number[] = [];
    const done = withLock(path, { signal, onWait: ({ pid }) => waiting.push(pid) }, async () => "done");
    await delay(300);
    expect(waiting).toEqual([1]);
    const longAgo = new Date(Date.now() - 10 * 60_000);
    await utimes(path, longAgo, longAgo);
    expect(await done).toBe("done");
  });

  it("ends the waiting with the run, and leaves the other's lock alone", async () => {
    const path = await lockPath();
    const abort = new AbortController();
    const reason = new Error("interrupted");
    await withLock(path, { signal }, async () => {
      const held = await readFile(path, "utf8");
      const waiting = withLock(path, { signal: abort.signal, onWait: () => abort.abort(reason) }, async () => "never");
      await expect(waiting).rejects.toBe(reason);
      expect(await readFile(path, "utf8")).toBe(held);
    });
  });

  it("is released when the work fails", async () => {
    const path = await lockPath();
    await expect(withLock(path, { signal }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(existsSync(path)).toBe(false);
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeHolder, withLock } from "../../../src/provision/cache/lock.js";
import { provisioning } from "../../support/provisioning.js";

const { signal } = new AbortController();

async function aLock(): Promise<string> {
  return join((await provisioning()).root, "thing.lock");
}

/** Another process that takes the lock as a run does: flock's child lives as long as its own input is open. */
async function otherHolder(path: string): Promise<ChildProcess> {
  const script = `
    const { spawn } = require("node:child_process");
    const { writeFileSync } = require("node:fs");
    const keeper = spawn("flock", ["-x", process.argv[1], "cat"], { stdio: ["pipe", "pipe", "ignore"], detached: true });
    keeper.stdin.write("held\\n");
    keeper.stdout.once("data", () => { writeFileSync(process.argv[1], process.pid + "\\n"); console.log("held"); });`;
  const child = spawn(process.execPath, ["-e", script, path], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

describe("withLock", () => {
  it("lets one in at a time", async () => {
    const path = await aLock();
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await delay(20);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => withLock(path, { signal }, work)));
    expect(most).toBe(1);
  });

  it("waits for another process, says which one, and goes on as soon as that one was killed", async () => {
    const path = await aLock();
    const holder = await otherHolder(path);
    const notes: string[] = [];
    const done = withLock(
      path,
      { signal, onWait: (who) => notes.push(describeHolder(who, "builds x")) },
      async () => "done",
    );
    await expect.poll(() => notes).toEqual([`waiting for process ${holder.pid}, which builds x`]);
    expect(await Promise.race([done, delay(200, "waiting")])).toBe("waiting");
    holder.kill("SIGKILL");
    expect(await done).toBe("done");
  });

  it("lets one in at a time, also when a killed process held it and many waited", async () => {
    const path = await aLock();
    const holder = await otherHolder(path);
    const order: string[] = [];
    const work = async (): Promise<void> => {
      order.push("in");
      await delay(10);
      order.push("out");
    };
    const waiting = Array.from({ length: 4 }, () => withLock(path, { signal }, work));
    await delay(100);
    expect(order).toEqual([]);
    holder.kill("SIGKILL");
    await Promise.all(waiting);
    expect(order.join(" ")).toBe("in out in out in out in out");
  });

  it("takes no notice of what an older version, or nobody, left in the file", async () => {
    for (const content of [JSON.stringify({ pid: process.pid, started: "1", host: "x", token: "x" }), "", "{", "1\n"]) {
      const path = await aLock();
      await writeFile(path, content);
      const waited: unknown[] = [];
      expect(await withLock(path, { signal, onWait: (who) => waited.push(who) }, async () => "done")).toBe("done");
      expect(waited).toEqual([]);
    }
  });

  it("ends the waiting with the run, and leaves the other's lock alone", async () => {
    const path = await aLock();
    const abort = new AbortController();
    const reason = new Error("interrupted");
    let next: Promise<string> | undefined;
    await withLock(path, { signal }, async () => {
      const waiting = withLock(path, { signal: abort.signal, onWait: () => abort.abort(reason) }, async () => "never");
      await expect(waiting).rejects.toBe(reason);
      expect(Number(await readFile(path, "utf8"))).toBe(process.pid);
      next = withLock(path, { signal }, async () => "next");
      expect(await Promise.race([next, delay(200, "waiting")])).toBe("waiting");
    });
    expect(await next).toBe("next");
    await expect(withLock(path, { signal: abort.signal }, async () => "never")).rejects.toBe(reason);
  });

  it("is released when the work fails, and names no holder any more", async () => {
    const path = await aLock();
    await expect(withLock(path, { signal }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await readFile(path, "utf8")).toBe("");
    expect(await withLock(path, { signal }, async () => "done")).toBe("done");
  });

  it("says what is missing where there is no flock", async () => {
    const path = await aLock();
    const { PATH } = process.env;
    onTestFinished(() => {
      process.env.PATH = PATH;
    });
    process.env.PATH = "/nowhere";
    await expect(withLock(path, { signal }, async () => "done")).rejects.toThrow(
      /^cannot lock .*thing\.lock: .*ENOENT.*; flock is needed on PATH \(apt-get install util-linux\)/,
    );
  });
});

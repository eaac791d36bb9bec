/** The scripted neighbour: its bursts, and that it ends with its recorder. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { bursts } from "../../evaluation/bursts.mjs";
import { startNeighbour } from "../../evaluation/record/neighbour-process.js";
import { ROOT } from "../support/workflows.js";

function take(count: number, share: number, seed: number) {
  const source = bursts(share, seed);
  return Array.from({ length: count }, () => source.next().value);
}

/** Processes of the neighbour with this seed, on CPU 0. */
function running(seed: number): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`neighbour.mjs\0${0.25}\0${seed}\0`);
      } catch {
        return false;
      }
    });
}

async function goneWithin(seed: number, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (running(seed).length > 0) {
    if (performance.now() > end) return false;
    await sleep(20);
  }
  return true;
}

describe("bursts", () => {
  it.each([0.05, 0.25, 0.5])("are load for a share of %f of the time, and bounded", (share) => {
    const some = take(500, share, 3);
    const load = some.reduce((sum, { burstMs }) => sum + burstMs, 0);
    const all = some.reduce((sum, { burstMs, waitMs }) => sum + burstMs + waitMs, 0);
    expect(load / all).toBeCloseTo(share, 9);
    for (const { burstMs } of some) {
      expect(burstMs).toBeGreaterThanOrEqual(5);
      expect(burstMs).toBeLessThanOrEqual(200);
    }
    expect(new Set(some.map(({ burstMs }) => burstMs)).size).toBeGreaterThan(400);
  });

  it("are the same for the same seed", () => {
    expect(take(20, 0.2, 5)).toEqual(take(20, 0.2, 5));
    expect(take(20, 0.2, 5)).not.toEqual(take(20, 0.2, 6));
    expect(() => take(1, 0.6, 5)).toThrow("at most 0.5");
  });
});

describe("startNeighbour", () => {
  it("runs until it is disposed", async () => {
    const seed = 710_001;
    {
      await using _neighbour = await startNeighbour({ root: ROOT, share: 0.25, cpus: [0], seed, maxSec: 20 });
      expect(running(seed)).toHaveLength(1);
    }
    expect(running(seed)).toHaveLength(0);
  });

  it("starts nothing for a share of 0", async () => {
    await using _neighbour = await startNeighbour({ root: ROOT, share: 0, cpus: [0], seed: 710_002, maxSec: 20 });
    expect(running(710_002)).toHaveLength(0);
  });

  it("says when it could not start", async () => {
    const cpus = [100_000];
    await expect(startNeighbour({ root: ROOT, share: 0.25, cpus, seed: 1, maxSec: 20 })).rejects.toThrow(
      "before its first burst",
    );
  });

  it("ends when its recorder is killed", async () => {
    const seed = 710_003;
    const script = `
      import { spawn } from "node:child_process";
      const args = [${JSON.stringify(`${ROOT}/evaluation/neighbour.mjs`)}, "0.25", "${seed}", "20"];
      const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
      child.stdout.pipe(process.stdout);
    `;
    const recorder = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(recorder.stdout, "data");
    expect(running(seed)).toHaveLength(1);
    recorder.kill("SIGKILL");
    expect(await goneWithin(seed, 10_000)).toBe(true);
  });

  it("ends after its time", async () => {
    const seed = 710_004;
    await using _neighbour = await startNeighbour({ root: ROOT, share: 0.25, cpus: [0], seed, maxSec: 0.3 });
    expect(await goneWithin(seed, 10_000)).toBe(true);
  });
});

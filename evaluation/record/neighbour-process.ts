/** Starts and ends the scripted neighbour: one process per CPU. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Neighbour } from "../recording/recording.js";

export interface NeighbourOptions extends Neighbour {
  /** The repository. */
  readonly root: string;
  readonly seed: number;
  /** It ends by itself after this time. */
  readonly maxSec: number;
}

/** No process where the share is 0. @throws when a process cannot be started */
export async function startNeighbour(options: NeighbourOptions): Promise<AsyncDisposable> {
  const { root, share, cpus, seed, maxSec } = options;
  const program = join(root, "evaluation/neighbour.mjs");
  const children = (share === 0 ? [] : cpus).map((cpu) => {
    // Every CPU has bursts of its own.
    const args = [program, share, seed + 1000 * cpu, maxSec].map(String);
    return spawn("taskset", ["-c", String(cpu), process.execPath, ...args], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { PATH: process.env.PATH },
    });
  });
  const neighbour = { [Symbol.asyncDispose]: () => endAll(children) };
  try {
    await Promise.all(children.map(ready));
  } catch (error) {
    await neighbour[Symbol.asyncDispose]();
    throw error;
  }
  return neighbour;
}

async function ready(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the neighbour ended with ${code} before its first burst`);
  });
  await Promise.race([child.stdout ? once(child.stdout, "data") : ended, ended]);
  ended.catch(() => {});
}

async function endAll(children: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }),
  );
}

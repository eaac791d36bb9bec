/** When a server has started: its other workers may still do so when the first one answers. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "../../process/group.js";
import { cpuBetween, sampleCpu } from "../machine/cpu.js";

const STEP_MS = 150;
/** Of one CPU. An event loop with timers needs less, also below Valgrind. */
const REST_SHARE = 0.1;
/** An app that never rests is counted as it is. */
const LIMIT_MS = 15_000;

/** Waits until no process of the server works, at most 15 s. @throws the signal's reason */
export async function untilAtRest(server: ServerProcess, signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + LIMIT_MS;
  let before = { cpu: sampleCpu(server.processes()), at: performance.now() };
  while (before.at < giveUpAt) {
    await sleep(STEP_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    const now = { cpu: sampleCpu(server.processes()), at: performance.now() };
    if (cpuBetween(before.cpu, now.cpu) <= (REST_SHARE * (now.at - before.at)) / 1000) return;
    before = now;
  }
}

/**
 * A neighbour on one CPU: bursts of load until standard input ends, which it does when the recorder dies.
 *   taskset -c CPU node evaluation/neighbour.mjs SHARE SEED SECONDS
 * SECONDS bounds it whatever happens. It prints `ready` before its first burst.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { bursts } from "./bursts.mjs";

const [share, seed, seconds] = process.argv.slice(2).map(Number);
process.stdin.on("end", () => process.exit(0));
process.stdin.on("error", () => process.exit(0));
process.stdin.resume();
process.stdout.write("ready\n");

const end = performance.now() + seconds * 1000;
let next = performance.now();
for (const { waitMs, burstMs } of bursts(share, seed)) {
  next += waitMs;
  // A wait of 0 still lets the end of standard input be seen.
  await sleep(Math.max(0, next - performance.now()));
  if (performance.now() >= end) break;
  next += burstMs;
  while (performance.now() < next) Math.sqrt(next);
}
process.exit(0);

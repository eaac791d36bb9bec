/** Ticks per second of the times in /proc/PID/stat. */
import { spawnSync } from "node:child_process";

/** What every Linux on x86 and ARM has. */
const USUAL = 100;
let known: number | undefined;

export function clockTicksPerSec(): number {
  if (known === undefined) {
    const env = { PATH: process.env.PATH };
    const answer = Number(spawnSync("getconf", ["CLK_TCK"], { encoding: "utf8", timeout: 5000, env }).stdout);
    known = Number.isInteger(answer) && answer > 0 ? answer : USUAL;
  }
  return known;
}

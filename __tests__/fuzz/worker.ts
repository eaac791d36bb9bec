/** One process of the fuzzer: its share of the cases of every target. Prints one line of JSON for each target. */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import * as fc from "fast-check";
import { type Target, Violation } from "./target.js";
import { TARGETS } from "./targets.js";

/** A target of a long run takes minutes: the parent learns that cases go on. */
const ALIVE_MS = 5000;
/** Time to look for a smaller input that fails in the same way. */
const SHRINK_MS = 10_000;

export interface Work {
  /** Of all targets. */
  readonly cases: number;
  readonly seed: number;
  /** CPU seconds of a case. A reader that needs longer for one input stops a report. */
  readonly limitSec: number;
  /** This one alone. */
  readonly target?: string;
  /** Gets the input before each case: after a hang or a crash it is the one. */
  readonly inputFile: string;
}

export interface Outcome {
  readonly target: string;
  readonly cases: number;
  readonly seconds: number;
  /** CPU seconds of the slowest case. */
  readonly slowest: number;
  readonly finding?: { readonly input: string; readonly error: string };
}

async function fuzzTarget(target: Target, cases: number, { seed, limitSec }: Work, fd: number): Promise<Outcome> {
  const started = performance.now();
  let slowest = 0;
  let failedAt: number | undefined;
  let lastSign = started;
  const property = fc.asyncProperty(target.inputs, async (input) => {
    if (performance.now() - lastSign > ALIVE_MS) {
      lastSign = performance.now();
      process.send?.({ alive: true });
    }
    if (failedAt !== undefined && performance.now() - failedAt > SHRINK_MS) return;
    writeSync(fd, input, 0, input.length, 0);
    ftruncateSync(fd, input.length);
    const before = process.cpuUsage();
    try {
      await target.check(input);
      const { user, system } = process.cpuUsage(before);
      const seconds = (user + system) / 1e6;
      slowest = Math.max(slowest, seconds);
      if (seconds > limitSec) throw new Violation(`took ${seconds.toFixed(1)} s of CPU time`);
    } catch (error) {
      failedAt ??= performance.now();
      throw error;
    }
  });
  const run = await fc.check(property, { numRuns: cases, seed, includeErrorInReport: true });
  const seconds = (performance.now() - started) / 1000;
  const measured = { target: target.name, cases: run.numRuns, seconds, slowest };
  const [input] = run.counterexample ?? [];
  if (!run.failed || input === undefined) return measured;
  const error = run.errorInstance instanceof Error ? (run.errorInstance.stack ?? "") : String(run.errorInstance);
  return { ...measured, finding: { input: Buffer.from(input).toString("base64"), error } };
}

export async function main(work: Work): Promise<void> {
  const { cases, target: only, inputFile } = work;
  const targets = TARGETS.filter(({ name }) => only === undefined || name === only);
  const shares = targets.reduce((sum, { share }) => sum + share, 0);
  const fd = openSync(inputFile, "w");
  for (const target of targets) {
    process.send?.({ started: target.name });
    const outcome = await fuzzTarget(target, Math.ceil((cases * target.share) / shares), work, fd);
    process.send?.({ outcome });
  }
  closeSync(fd);
}

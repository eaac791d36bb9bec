/** How many turns of a plant's work are a per cent of a request's CPU time. */

import { METRICS } from "../../src/compare/metrics.js";
import { pairLogs } from "../../src/compare/pairs.js";
import type { Pair } from "../../src/results/comparison.js";

/** A rough calibration first; the second one adds about as much work as is planted. */
const COARSE = { turns: 200, pairs: 4 };
const FINE = { share: 0.2, pairs: 12 };
const CPU = METRICS.find(({ name }) => name === "cpuPerRequest");

/** @param measure a pair whose head does so many turns @returns share of a request's CPU time that a turn adds */
export async function shareOfTurn(measure: (turns: number, number: number) => Promise<Pair>): Promise<number> {
  const coarse = (await addedBy(COARSE.turns, COARSE.pairs, measure)) / COARSE.turns;
  // Cheap turns can drown in noise; a turn of nothing would ask for endless work.
  const turns = Math.round(FINE.share / Math.max(coarse, FINE.share / (1000 * COARSE.turns)));
  const fine = (await addedBy(turns, FINE.pairs, measure)) / turns;
  if (!(fine > 0)) throw new Error(`the calibration found no cost of ${turns} turns`);
  return fine;
}

/** Relative CPU time that this number of turns adds to a request: the median of some pairs. */
async function addedBy(turns: number, pairs: number, measure: (turns: number, number: number) => Promise<Pair>) {
  const added: number[] = [];
  for (let number = 0; number < pairs; number += 1) {
    const logs = CPU && pairLogs(await measure(turns, number), CPU);
    if (logs) added.push(Math.expm1(logs.head - logs.base));
  }
  added.sort((a, b) => a - b);
  const middle = added.length / 2;
  return ((added[Math.ceil(middle) - 1] ?? 0) + (added[Math.floor(middle)] ?? 0)) / 2;
}

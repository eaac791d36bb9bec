/** Which trials a seed makes. */
import type { Fault } from "./fault.js";
import { seeded, seedOf } from "./random.js";
import type { Trial } from "./trial.js";

/**
 * Every fault has its turn before one comes again; seeds 1, 2, ... begin at other ones. A trial depends on the seed and on the
 * name of its fault: other faults of the list do not change it.
 */
export function trialsOf(faults: readonly Fault[], seed: number, runs: number): Trial[] {
  const order = faults.toSorted((a, b) => seedOf(seed, a.name) - seedOf(seed, b.name));
  return Array.from({ length: order.length === 0 ? 0 : runs }, (_, index) => {
    const fault = order[index % order.length];
    if (!fault) throw new Error("there is no fault");
    const random = seeded(seedOf(seed, fault.name, Math.floor(index / order.length)));
    return { fault, kind: random.pick(fault.kinds), seed: random.between(1, 2 ** 31) };
  });
}

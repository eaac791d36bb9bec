/** How often a row's interval holds what it estimates. */
import { PAIRS_MAX } from "../../src/compare/looks.js";
import type { Metric } from "../../src/compare/metrics.js";
import type { ComparedRow } from "../../src/results/comparison.js";
import { seeded } from "../random.js";
import { estimate } from "./decide.js";
import { type DrawnRow, drawRow } from "./draw.js";
import type { Pool } from "./pools.js";
import { mean } from "./share.js";

type Name = Metric["name"];

/** Of rows with all pairs; their mean has a tenth of one row's error. */
const TARGET_DRAWS = 100;
const TARGET_SEED = 97;

/**
 * The interval's own target: the mean of the decision's estimate over rows with all pairs that are drawn from the pool.
 * The planted size is not the target, because two builds differ and a calibration has noise.
 */
export class Targets {
  readonly #byPool = new Map<Pool, Readonly<Record<Name, number>>>();

  /** log(head / base), the other way round for a mirrored row */
  of({ pool, mirrored }: DrawnRow, name: Name): number {
    const targets = this.#byPool.get(pool) ?? targetsOf(pool);
    this.#byPool.set(pool, targets);
    return mirrored ? -targets[name] : targets[name];
  }
}

function targetsOf(pool: Pool): Readonly<Record<Name, number>> {
  const random = seeded(TARGET_SEED);
  const rows = Array.from({ length: TARGET_DRAWS }, () =>
    estimate(drawRow(pool, false, random).pairs.slice(0, PAIRS_MAX)),
  );
  const of = (name: Name) => mean(rows.flatMap((row) => changeOf(row, name) ?? []));
  return { throughput: of("throughput"), cpuPerRequest: of("cpuPerRequest") };
}

function changeOf(row: ComparedRow | undefined, name: Name): number | undefined {
  const metric = row?.metrics[name];
  return metric && Math.log1p(metric.change);
}

/** Undefined where the row has no such metric. @param target log(head / base) */
export function holds({ metrics }: ComparedRow, name: Name, target: number): boolean | undefined {
  const interval = metrics[name]?.interval;
  if (interval === undefined) return undefined;
  const change = Math.expm1(target);
  return interval[0] <= change && change <= interval[1];
}

/** How much recorded pairs of identical sides differ, before any verdict. */
import { METRICS, type Metric } from "../../src/compare/metrics.js";
import { variance } from "../../src/compare/moderated.js";
import { rowLogs } from "../../src/compare/pairs.js";
import { groupBy } from "../../src/group-by.js";
import type { Pair } from "../../src/results/comparison.js";
import { NO_PLANT, type Recording } from "../recording/recording.js";
import { isLatency } from "./pools.js";
import { mean } from "./share.js";

export interface PairNoise {
  readonly server: string;
  /** Share of the time. */
  readonly neighbour: number;
  readonly pairs: number;
  /** Standard deviation of a pair's log(head / base), within the rows. */
  readonly sd: Readonly<Record<Metric["name"], number>>;
}

/** Of each server and neighbour, from pairs without slices at a fixed rate. */
export function pairNoise({ rows }: Recording): PairNoise[] {
  const identical = rows.filter((row) => row.plant === NO_PLANT && !isLatency(row));
  return [...groupBy(identical, ({ server, neighbour }) => `${server} ${neighbour.share}`).values()].flatMap((own) => {
    const [first] = own;
    const lists = own.map(({ pairs }) => pairs);
    const sd = { throughput: sdOf(lists, "throughput"), cpuPerRequest: sdOf(lists, "cpuPerRequest") };
    return first ? [{ server: first.server, neighbour: first.neighbour.share, pairs: lists.flat().length, sd }] : [];
  });
}

function sdOf(lists: readonly (readonly Pair[])[], name: Metric["name"]): number {
  const metric = METRICS.find((one) => one.name === name);
  const logs = lists.map((pairs) => (metric ? rowLogs(pairs, metric).map(({ base, head }) => head - base) : []));
  return Math.sqrt(mean(logs.filter(({ length }) => length > 1).map((values) => variance(values))));
}

/** What a recording shows before any verdict: sizes as measured by all pairs, and what differs between builds. */
import { METRICS, type Metric } from "../../src/compare/metrics.js";
import { rowLogs } from "../../src/compare/pairs.js";
import { countingSlices, isValid } from "../../src/compare/slices.js";
import type { Pair, PairSlice } from "../../src/results/comparison.js";
import { NO_PLANT, type RecordedRow, type Recording } from "../recording/recording.js";
import {
  balanced,
  buildComponents,
  type Component,
  type VarianceComponents,
  varianceComponents,
} from "../statistics/variance-components.js";
import { mean, type Share, shareOf } from "./share.js";

/** Of log(head / base) over the pairs of a row. */
export interface MeasuredSize {
  readonly mean: number;
  readonly standardError: number;
  /** Of one pair. */
  readonly sd: number;
}

export interface MeasuredRow extends Pick<RecordedRow, "server" | "plant" | "builds" | "neighbour"> {
  readonly pairs: number;
  readonly voided: Share;
  readonly cpuPerRequest: MeasuredSize;
  readonly throughput: MeasuredSize;
}

export function measuredRows({ rows }: Recording): MeasuredRow[] {
  return rows.map(({ server, plant, builds, neighbour, pairs }) => ({
    server,
    plant,
    builds,
    neighbour,
    pairs: pairs.length,
    voided: shareOf(pairs.filter((pair) => !isValid(pair)).length, pairs.length),
    cpuPerRequest: sizeOf(logsOf(pairs, "cpuPerRequest")),
    throughput: sizeOf(logsOf(pairs, "throughput")),
  }));
}

function logsOf(pairs: readonly Pair[], name: Metric["name"]): number[] {
  const metric = METRICS.find((one) => one.name === name);
  return metric ? rowLogs(pairs, metric).map(({ base, head }) => head - base) : [];
}

function sizeOf(logs: readonly number[]): MeasuredSize {
  const centre = mean(logs);
  const squares = logs.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  const sd = Math.sqrt(squares / Math.max(1, logs.length - 1));
  return { mean: centre, standardError: sd / Math.sqrt(Math.max(1, logs.length)), sd };
}

/** Standard deviations of log(head / base) between two clean builds of the same code. */
export interface BuildNoise {
  readonly server: string;
  readonly metric: Metric["name"];
  readonly buildPairs: number;
  readonly pairsEach: number;
  /** Pairs that were left out so that all builds have the same number. */
  readonly leftOut: number;
  /** Between pairs of builds; one build has this over the square root of 2. */
  readonly betweenBuilds: Component;
  /** Between pairs of processes of the same builds. */
  readonly betweenPairs: Component;
  /** Of single turns, each one slice of base and one of head; undefined with fewer than two turns a pair. */
  readonly turns: VarianceComponents | undefined;
}

/** Of servers with identical sides of several pairs of builds, in quiet. */
export function buildNoise({ rows }: Recording): BuildNoise[] {
  const quiet = rows.filter(({ plant, neighbour }) => plant === NO_PLANT && neighbour.share === 0);
  return [...new Set(quiet.map(({ server }) => server))].flatMap((server) =>
    METRICS.flatMap(({ name }): BuildNoise[] => {
      const own = quiet.filter((row) => row.server === server);
      const all = own.map(({ pairs }) => logsOf(pairs, name));
      const { lists, leftOut } = balanced(all.filter((logs) => logs.length >= 2));
      if (lists.length < 2) return [];
      const { betweenBuilds, withinBuilds } = buildComponents(lists);
      const [first = []] = lists;
      const counts = { buildPairs: lists.length, pairsEach: first.length, leftOut };
      return [
        {
          server,
          metric: name,
          ...counts,
          betweenBuilds,
          betweenPairs: withinBuilds,
          turns: turnComponents(own, name),
        },
      ];
    }),
  );
}

function turnComponents(rows: readonly RecordedRow[], name: Metric["name"]): VarianceComponents | undefined {
  const builds = rows.map(({ pairs }) => pairs.filter(isValid).map((pair) => turnLogs(pair, name)));
  const { lists } = balanced(builds.filter((pairs) => pairs.length >= 2));
  const turns = Math.min(...lists.flat().map((logs) => logs.length));
  if (lists.length < 2 || !(turns >= 2)) return undefined;
  return varianceComponents(lists.map((pairs) => pairs.map((logs) => logs.slice(0, turns))));
}

/** log(head / base) of each side's first slice, second slice, and so on, of those that count. */
function turnLogs(pair: Pair, name: Metric["name"]): number[] {
  const { base, head } = countingSlices(pair);
  return base.flatMap((one, i) => {
    const other = head[i];
    return other === undefined ? [] : [Math.log(figure(other, name) / figure(one, name))];
  });
}

function figure({ requests, seconds, serverCpuSec }: PairSlice, name: Metric["name"]): number {
  return name === "throughput" ? requests / seconds : serverCpuSec / requests;
}

/** How verdicts are reached, as sentences. */

import {
  type FurtherMetric,
  INSTRUCTIONS,
  instructionsOfSuspects,
  MEMORY_GROWTH,
  MEMORY_PEAK,
} from "../../compare/further-metrics/further-metrics.js";
import { countedFrom } from "../../compare/further-metrics/suspects.js";
import { METRICS, PAIRED_METRICS, type PairedMetric, USUAL_MARGINS } from "../../compare/metrics.js";
import { detectPercent, type Precision, precisionFor } from "../../compare/precision.js";
import { LEVEL, STRICT_LEVEL } from "../../compare/verdict.js";
import { listed } from "../../messages/sentence.js";
import type { ComparedRow, Comparison } from "../../results/comparison.js";
import { confirmedLine } from "./base-line.js";
import { metricNames, metricTitle, percent, signedPercent } from "./metric-text.js";

/** How the verdicts were reached, in plain text. */
export function methodSentences(comparison: Comparison): string[] {
  const { anchor } = comparison;
  const confirmed = confirmedLine(comparison);
  const drift = Object.entries(anchor?.day ?? {}).map(
    ([name, shift]) => `${metricTitle(name)} ${signedPercent(shift)}`,
  );
  return [
    ...(anchor
      ? [
          `Anchor: ${anchor.servers.join(", ")} (${anchor.rows.join(", ")}), identical in all runs. Since base it changed by ${drift.join(", ")}; this drift of the machine is divided out of base's figures.`,
        ]
      : []),
    ...methods(comparison),
    ...furtherMethods(comparison),
    ...latencyMethod(comparison),
    ...startMethod(comparison),
    ...(confirmed === undefined ? [] : [`${confirmed}.`, ...pairs(comparison)]),
  ];
}

function rule(comparison: Comparison): string {
  const { floor, margin } = limitsOf(comparison);
  return `A benchmark is better or worse when a change beyond ${floor} is significant, at a false discovery rate of ${percent(LEVEL)} over all benchmarks and metrics. It is unchanged when two one-sided tests, at 5 % each over all tests of a benchmark, show a change smaller than ${margin}. Otherwise it is inconclusive. ± is half of the 95 % interval. A change that has only just been found looks too large on average. Its interval reaches further towards zero, and both ends are shown. An undecided metric has a minimum detectable change: a change for the worse of this size would have been found four times in five.`;
}

/** Of throughput and CPU per request. Other metrics name their limits below, where they are described. */
function limitsOf(comparison: Comparison): { readonly floor: string; readonly margin: string } {
  const isUsual = (name: string) => METRICS.some((metric) => metric.name === name);
  const names = metricNames(comparison);
  if (names.length > 0 && !names.some(isUsual)) return { floor: "its metric's limit", margin: "its metric's margin" };
  const margin = `${detectPercent(precisionFor(comparison.detect))} %`;
  return { floor: percent(Math.expm1(USUAL_MARGINS.floor)), margin };
}

/** How latency was compared, where it was. */
export function latencyMethod(comparison: Comparison): string[] {
  const shown = new Set(metricNames(comparison));
  const metrics = PAIRED_METRICS.filter(({ name, percentile }) => percentile !== undefined && shown.has(name));
  if (metrics.length === 0) return [];
  const margins = metrics.map(
    ({ percentile, margins: { floor, equivalence } }) =>
      `${percentile} beyond ${percent(Math.expm1(floor))}, with ±${percent(equivalence)} for "unchanged"`,
  );
  return [
    `Latency is measured in separate slices at one fixed rate, the same for both sides and all pairs: 60 % of base's throughput, or the benchmark's own \`rate\`, and less where the load generator cannot send as much. It counts from the moment when a request is due: time in the queue behind a slow request is included (no coordinated omission). Slices are cut into windows just long enough for the percentile. Only the quieter windows in the better half of a side's slices are used. This leaves out interference by other processes, and also rare stalls of the server. A p-value of p50 or p99 counts twice, because they come in addition to other metrics. Where pairs differ much, a change of up to 50 % is reported only if later pairs alone show it again, or if CPU per request changed alike. A change is reported for ${margins.join("; ")}.`,
  ];
}

function startMethod({ rows }: Comparison): string[] {
  if (!rows.some(({ metrics }) => metrics.startupTime ?? metrics.startupMemory)) return [];
  const limits = PAIRED_METRICS.filter(({ ofStart }) => ofStart !== undefined).map(limitsWords);
  return [
    `A start lasts from the start of the server's process to its first right answer. The memory is the proportional set size of all its processes, read once both servers of a pair are ready. In benchmarks with these metrics the two sides of a pair start one after the other, so that they do not slow each other. The side that starts first changes from pair to pair. A change is reported for ${limits.join("; ")}.`,
  ];
}

function limitsWords({ margins: { floor, equivalence }, title }: FurtherMetric | PairedMetric): string {
  return `${title} beyond ${percent(Math.expm1(floor))}, with ±${percent(equivalence)} for "unchanged"`;
}

/** Of metrics that are not timed. */
function furtherMethods({ rows, selectedMetrics, detect }: Comparison): string[] {
  const has = (name: string) => rows.some(({ metrics }) => metrics[name] !== undefined);
  return [
    ...(has("instructions")
      ? [
          `Instructions are counted while the server runs under Valgrind (callgrind) and answers a fixed number of requests: one process of each side with the same hash seed, in windows, until the interval decides. The count covers user space only, without the kernel, cache misses, waiting and lock contention. So a higher count can still be as fast. ${selectedMetrics ? `A change is reported for ${limitsWords(INSTRUCTIONS)}.` : suspectsCounted(precisionFor(detect))}`,
        ]
      : []),
    ...(has("memoryPeak") || has("memoryGrowth")
      ? [
          `Memory is the proportional set size of all processes of the server. It is read after each of many chunks of a fixed number of requests, the same for both sides. Growth is the median slope between nearby samples, without the first quarter. Its change is the difference in memory after 100,000 further requests. A change is reported for ${limitsWords(MEMORY_PEAK)}; ${limitsWords(MEMORY_GROWTH)}.`,
        ]
      : []),
  ];
}

function suspectsCounted(precision: Precision): string {
  const metric = instructionsOfSuspects(precision);
  return `They are counted where the pairs have not decided after ${countedFrom(precision)} pairs or more and show a change of at least ${percent(Math.expm1(metric.margins.floor))}. They decide a benchmark only if they changed in the same direction as time. A change is reported for ${limitsWords(metric)}.`;
}

function isUntimedRow({ recorded = [], instructions, memory }: ComparedRow): boolean {
  return recorded.length === 0 && (instructions ?? memory) !== undefined;
}

/** Of rows that were measured in pairs. */
function pairs({ detect, rows }: Comparison): string[] {
  if (rows.length > 0 && rows.every(isUntimedRow)) return [];
  const { looks } = precisionFor(detect);
  return [
    `Base and head run side by side in pairs. For each pair both servers start afresh and warm up.${addresses(rows)} Then both are loaded at the same time on the same CPUs, so that a slower moment of the machine slows both alike.`,
    "A pair's change is the mean ratio of its slices. A slice that is further than 6 % from it is set to 6 %, because a server does some work only now and then. The change of a benchmark is the weighted mean of its pairs. A pair weighs less if its slices scatter: that shows interference that no counter reports.",
    "Throughput is shown around that of both servers alone. Where the two servers slow each other (one used over 5 % more CPU time, or both wait), and where a slice is whole rounds of messages (websockets), it comes from slices with one side loaded. Such a slice is left out when the hypervisor or other processes took more CPU time than in the pair's median slice (5 or 15 percentage points more). At a fixed rate each side has slices of its own, and a pair gives the ratio of the best ones.",
    `Benchmarks are tested after ${listed(looks.map((look) => String(look.pairs)))} pairs and stop once decided; the error budget is split over the tests. Each metric needs a p-value of at most ${percent(STRICT_LEVEL)} as well. The noise of a benchmark is estimated from its pairs and, from six pairs on, from the usual noise of benchmarks, unless it is clearly noisier. If throughput changes and CPU per request does not, later pairs must confirm it.`,
    ...(rows.some(({ expectedNoise }) => expectedNoise) ? [EARLIER_RUNS] : []),
  ];
}

/** Files of an earlier form do not say what was asked for. */
function addresses(rows: readonly ComparedRow[]): string {
  const asked = rows.flatMap(({ recorded = [] }) => recorded).filter(({ chance }) => chance?.stackBytes !== undefined);
  if (asked.length === 0) return "";
  return asked.every(({ sameAddresses }) => sameAddresses)
    ? " Both have the same addresses in memory, which differ from pair to pair."
    : " Linux did not let both have the same addresses in memory, so pairs scatter more; the command doctor says what to do.";
}

const EARLIER_RUNS =
  "In a report with fewer than five benchmarks, the noise of earlier runs on this machine is used too, unless a benchmark is clearly noisier now.";

const STORED =
  "Each benchmark is compared with the prediction interval of its base runs. The machine may have changed between runs: a change is a suspicion until base and head are measured side by side.";

function methods(comparison: Comparison): readonly string[] {
  switch (comparison.mode) {
    case "artifact":
      return [rule(comparison), STORED];
    case "paired":
      return [...pairs(comparison), rule(comparison)];
    case "mixed":
      return [
        ...pairs(comparison),
        rule(comparison),
        `Benchmarks without pairs are compared with stored results. ${STORED}`,
      ];
  }
}

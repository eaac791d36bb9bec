/** A comparison that a pull request's own run made, without its free text. */
import { METRIC_NAMES } from "../../compare/metric-named.js";
import type { ComparedRow, Comparison, MetricComparison } from "../../results/comparison.js";
import type { FurtherMetrics, FurtherProblem } from "../../results/further-metrics.js";
import type { Names } from "./names.js";
import { dateOf, knownSentences, numberOf, REASON_WITHHELD, reasonOf, shaOf } from "./words.js";

export function claimedComparison(comparison: Comparison, names: Names): Comparison {
  const { mode, base, storedBase, rows, controls, notCompared, notComparable, confirmedWith, notes = [] } = comparison;
  const known = knownSentences(notes);
  const { selectedMetrics, detect } = comparison;
  return {
    mode,
    base: claimedBase(base),
    ...(storedBase && { storedBase: claimedBase(storedBase) }),
    rows: rows.map((row) => claimedRow(row, names)),
    ...(selectedMetrics && { selectedMetrics }),
    ...(detect !== undefined && { detect }),
    ...(controls && { controls: controls.map((row) => claimedRow(row, names)) }),
    ...(notCompared && {
      notCompared: notCompared.map(({ kind, id, connections, reason }) => {
        const shown = reasonOf(reason) ?? (kind.startsWith("failed-") ? REASON_WITHHELD : undefined);
        return { kind, ...names.row(id), connections, ...(shown === undefined ? {} : { reason: shown }) };
      }),
    }),
    ...(notComparable && { notComparable: ["the results file says why"] }),
    ...(confirmedWith && { confirmedWith: claimedBase(confirmedWith) }),
    ...(known.length > 0 && { notes: known }),
  };
}

/** The address of a run is checked where it is linked. */
function claimedBase({ sha, newest, runs, behind, runUrl }: Comparison["base"]): Comparison["base"] {
  const facts = { sha: shaOf(sha), newest: dateOf(newest), runs: numberOf(runs), behind: numberOf(behind), runUrl };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, fact]) => (fact === undefined ? [] : [[name, fact] as const])),
  );
}

function claimedRow(row: ComparedRow, names: Names): ComparedRow {
  const known = knownSentences(row.notes ?? []);
  const metrics = Object.entries(row.metrics).filter(([name]) => METRIC_NAMES.includes(name));
  return {
    ...names.row(row.id),
    ...(row.connections === undefined ? {} : { connections: row.connections }),
    ...(row.mode && { mode: row.mode }),
    verdict: row.verdict,
    ...(row.basis && { basis: row.basis.filter((name) => METRIC_NAMES.includes(name)) }),
    metrics: Object.fromEntries(metrics.map(([name, metric]) => [name, claimedMetric(metric)])),
    ...(row.started !== undefined && { started: "" }),
    ...(row.clientBound === undefined ? {} : { clientBound: row.clientBound }),
    ...(row.idleCpu && { idleCpu: row.idleCpu }),
    ...(known.length > 0 && { notes: known }),
    seconds: row.seconds,
    ...(row.undecided && { undecided: row.undecided }),
    ...(row.beyondNoise && { beyondNoise: row.beyondNoise }),
    ...(row.recorded && { recorded: row.recorded }),
    ...claimedFurtherMetrics(row),
  };
}

/** Numbers, and which side failed. */
export function claimedFurtherMetrics({ instructions, memory }: FurtherMetrics): FurtherMetrics {
  return {
    ...(instructions && { instructions: claimedCounts(instructions) }),
    ...(memory && { memory: claimedSamples(memory) }),
  };
}

function claimedCounts(
  counts: NonNullable<FurtherMetrics["instructions"]>,
): NonNullable<FurtherMetrics["instructions"]> {
  if (counts.state === "not-measured") return { state: "not-measured", ...claimedProblem(counts) };
  const { state, source, connections, requests, rounds, stopped } = counts;
  return {
    state,
    source,
    version: "",
    connections,
    requests,
    rounds,
    ...(stopped && { stopped: claimedProblem(stopped) }),
  };
}

function claimedSamples(samples: NonNullable<FurtherMetrics["memory"]>): NonNullable<FurtherMetrics["memory"]> {
  if (samples.state === "not-measured") return { state: "not-measured", ...claimedProblem(samples) };
  const { state, connections, requests, pairs, stopped } = samples;
  return { state, connections, requests, pairs, ...(stopped && { stopped: claimedProblem(stopped) }) };
}

function claimedProblem({ failedIn }: FurtherProblem): FurtherProblem {
  return { reason: REASON_WITHHELD, ...(failedIn && { failedIn }) };
}

function claimedMetric({ verdict, change, interval, p, minimumDetectable, pairs, base, head }: MetricComparison) {
  return {
    verdict,
    change,
    interval,
    p,
    minimumDetectable,
    pairs,
    ...(base === undefined ? {} : { base }),
    ...(head === undefined ? {} : { head }),
  };
}

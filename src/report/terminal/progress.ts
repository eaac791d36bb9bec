/** One line at a time while rows are measured: rewritten on a terminal, one per case in a log. */

import { plural } from "../../messages/sentence.js";
import type { ComparedRow, MetricComparison, Verdict } from "../../results/comparison.js";
import type { CaseResult } from "../../results/schema.js";
import { costText } from "../comparison/changed-rows.js";
import { changeText, isChange, metricTitle, percent, verdictWord } from "../comparison/metric-text.js";
import { label } from "../tables/rows.js";
import { logSafe, plainText } from "../text/escape.js";
import { coarse, decimals, rate } from "../text/format.js";
import { fitText } from "../text/width.js";

/** A shorter name would not identify the row. */
const NAME_WIDTH_MIN = 8;

export interface ProgressState {
  /** Which row, from 1, of how many. */
  readonly row: number;
  readonly rows: number;
  readonly title: string;
  /** Absent while the row has no load. */
  readonly connections?: number;
  /** What happens: `starting`, `warming up`, `measuring`. */
  readonly phase: string;
  /** Seconds since the phase began. */
  readonly phaseSec: number;
  /** Seconds until the last row is done; absent when unknown. */
  readonly remainingSec?: number;
  /** Width of the terminal. */
  readonly columns: number;
}

/** `row 3 of 18  ASGI echo (c256)  measuring 6s  ~2 min left`, without a line end. */
export function progressLine(state: ProgressState): string {
  const { connections, remainingSec } = state;
  const title = plainText(state.title);
  const name = connections === undefined ? title : label({ title, connections });
  const start = `benchmark ${state.row} of ${state.rows}`;
  const end = [
    `${plainText(state.phase)} ${Math.floor(state.phaseSec)}s`,
    ...(remainingSec === undefined ? [] : [`~${coarse(remainingSec)} left`]),
  ].join("  ");
  // A full last column would make some terminals wrap, and the line could not be rewritten.
  const columns = Math.max(0, state.columns - 1);
  const room = columns - start.length - end.length - 4;
  return fitText([start, ...(room >= NAME_WIDTH_MIN ? [fitText(name, room)] : []), end].join("  "), columns);
}

/** `ok   interfaces/rsgi-bytes (c256)  90119 req/s  2.807ms avg  0 failures  client-bound  disturbed` */
export function rowLine(result: CaseResult): string {
  const side = result.side === "base" ? " [base]" : "";
  const name = `${plainText(result.id)} (c${result.connections})${side}`;
  if (result.state !== "completed") {
    const word = result.state === "failed" ? "FAIL" : "skip";
    return logSafe(`${word} ${name}: ${plainText(result.reason)}`);
  }
  const { summary } = result;
  const figures = [
    `${rate(summary.requestsPerSec)} req/s`,
    `${decimals(summary.latencyMs.mean, 3)}ms avg`,
    plural(summary.failures.total, "failure"),
    ...(summary.clientBound ? ["client-bound"] : []),
    ...(result.disturbed ? ["disturbed"] : []),
  ];
  return logSafe(`ok   ${[name, ...figures].join("  ")}`);
}

/** `worse  interfaces/rsgi-bytes (c256)  throughput -3.1 % ±0.8 %  CPU per request +3.0 % ±0.6 %  8 pairs, 36 s` */
export function comparedLine(row: ComparedRow): string {
  const { id, connections, verdict, metrics, idleCpu } = row;
  const name = plainText(connections === undefined ? id : label({ title: id, connections }));
  const changes = Object.entries(metrics).map(
    ([metric, change]) => `${metricTitle(metric)} ${changeText(change)}${otherVerdict(change, verdict)}`,
  );
  const idle = idleCpu?.worse ? [`head uses ${percent(idleCpu.head)} of a CPU while idle`] : [];
  return logSafe([verdictWord(verdict), name, ...idle, ...changes, costText(row)].filter(Boolean).join("  "));
}

/** Where a metric changed in another way than its row: `peak memory -4.0 % ±1.0 % (better)` of a row that is worse. */
function otherVerdict({ verdict }: MetricComparison, ofRow: Verdict): string {
  return verdict === ofRow || !isChange(verdict) ? "" : ` (${verdictWord(verdict)})`;
}

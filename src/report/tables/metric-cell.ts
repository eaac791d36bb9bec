/** The cell of a metric in a table of cases. */
import { isFromPairs } from "../../results/from-pairs.js";
import type { MetricColumn } from "../../results/metric-columns.js";
import type { CompletedCase, LatencyMs, Summary } from "../../results/schema.js";
import { decimals, MISSING, rate } from "../text/format.js";

/** Behind a throughput that was measured while others used the CPUs. */
export const DISTURBED_MARK = " ~";
/** Before a throughput that the load generator limited. */
const LOWER_BOUND = "≥ ";
/** Where one window's throughput varied by more than this between its parts, the table shows it. */
const SPREAD_SHOWN = 0.03;

/** ` ±7 %`: the spread of a case that was measured in one window. Pairs have an interval instead. */
export function shownSpread({ spread = 0, slices }: Pick<CompletedCase, "spread" | "slices">): string {
  return !isFromPairs({ slices }) && spread > SPREAD_SHOWN ? ` ±${(spread * 100).toFixed(0)} %` : "";
}

/** The cell of a metric column; a lower bound is marked, and the throughput of an unsteady or disturbed case. */
export function metricCell(
  metric: MetricColumn,
  shown: Pick<CompletedCase, "summary" | "disturbed" | "spread" | "slices">,
): string {
  const { summary } = shown;
  const { latencyMs } = summary;
  const mark = shownSpread(shown) + (shown.disturbed ? DISTURBED_MARK : "");
  switch (metric) {
    case "requests":
      return String(summary.requests);
    case "rps":
      return (summary.clientBound ? LOWER_BOUND : "") + rate(summary.requestsPerSec) + mark;
    case "ws-send":
    case "ws-receive":
    case "ws-combined":
      return marked(messageRate(metric, summary), mark);
    case "mean":
      return latency(latencyMs.mean);
    case "max":
      return latency(latencyMs.max);
    case "failures":
      return String(summary.failures.total);
    case "mean-ms":
      return milliseconds(latencyMs.mean);
    case "p99.9":
      return milliseconds(latencyMs.p999);
    case "first-byte":
      return milliseconds(summary.firstByteMs);
    case "mb-per-sec":
      return marked(bodyRate(summary), mark);
    case "startup":
      return summary.startup === undefined ? MISSING : summary.startup.seconds.toFixed(2);
    case "startup-memory":
      return summary.startup === undefined ? MISSING : decimals(summary.startup.memoryMiB, 1);
    case "memory":
      return decimals(summary.peakMemoryMiB, 1);
    case "idle-memory":
      return summary.idle?.kibPerConnection === undefined ? MISSING : decimals(summary.idle.kibPerConnection, 1);
    default:
      return milliseconds(percentile(metric, latencyMs));
  }
}

function marked(figure: string, mark: string): string {
  return figure === MISSING ? MISSING : figure + mark;
}

/** The rate of received messages is a lower bound when the client is the limit. */
function messageRate(metric: "ws-send" | "ws-receive" | "ws-combined", summary: Summary): string {
  const { messages } = summary;
  if (messages === undefined) return MISSING;
  if (metric === "ws-send") return messages.sentPerSec.toFixed(0);
  const perSec = metric === "ws-receive" ? messages.receivedPerSec : messages.combinedPerSec;
  return (summary.clientBound ? LOWER_BOUND : "") + perSec.toFixed(0);
}

/** Megabytes of bodies; a lower bound when the client is the limit. */
function bodyRate({ bodyBytesPerSec, clientBound }: Summary): string {
  if (bodyBytesPerSec === undefined) return MISSING;
  const mb = bodyBytesPerSec / 1e6;
  // Events of a few bytes make hundredths of a megabyte.
  return (clientBound ? LOWER_BOUND : "") + decimals(mb, mb < 1 ? 3 : 1);
}

function percentile(metric: Exclude<Extract<MetricColumn, `p${number}`>, "p99.9">, ms: LatencyMs) {
  return metric === "p100" ? ms.max : ms[metric];
}

/** 2.807ms, 10.2ms */
function latency(ms: number): string {
  return `${decimals(ms, 3)}ms`;
}

/** Plain milliseconds, for columns whose heading or note names the unit. */
function milliseconds(value: number | undefined): string {
  if (value === undefined) return MISSING;
  return value.toFixed(value < 10 ? 3 : 1);
}

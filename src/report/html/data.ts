/** The figures of the page as compact JSON, embedded for programs: whole numbers with a factor per column. */
import type { Results } from "../../results/schema.js";
import { pairFigures } from "./pair-plot.js";

interface Column<Of> {
  readonly name: string;
  /** A figure is the number in the file divided by this; absent for text. */
  readonly factor?: number;
  readonly of: (item: Of) => string | number | boolean | undefined | null;
}

/** Slices are in results.json alone: a page has to stay small. */
const ABOUT =
  "The figures of this page. Numbers are whole: divide each by the factor of its column. results.json has every slice.";

export function pageData(results: Results): string {
  const { run, environment, sets, comparison } = results;
  const metrics = (comparison?.rows ?? []).flatMap(metricsOf);
  const data = {
    schema: "server-bench/page-data",
    version: 1,
    about: ABOUT,
    run,
    environment,
    sets: sets.map(({ name, title }) => ({ name, title })),
    cases: tableOf(results.cases, CASE_COLUMNS),
    ...(comparison && {
      comparison: {
        mode: comparison.mode,
        base: comparison.base,
        metrics: tableOf(metrics, METRIC_COLUMNS),
        pairs: { columns: ["index in metrics", "base", "head"], factor: PAIR_FACTOR, rows: metrics.flatMap(pairsOf) },
      },
    }),
  };
  return JSON.stringify(data);
}

/** Embedded in a page, where `</script>` and `<!--` would end it, and invisible characters would reorder it. */
export function embeddedJson(text: string): string {
  return text.replace(/[<>&]|\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, (mark) =>
    [...Array(mark.length).keys()].map((i) => `\\u${mark.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}

function tableOf<Of>(items: readonly Of[], columns: readonly Column<Of>[]) {
  return {
    columns: columns.map(({ name, factor }) => ({ name, ...(factor !== undefined && { factor }) })),
    rows: items.map((item) => columns.map(({ of, factor }) => scaled(of(item), factor))),
  };
}

function scaled(value: string | number | boolean | undefined | null, factor: number | undefined) {
  if (typeof value !== "number" || factor === undefined) return value ?? null;
  return Number.isFinite(value) ? Math.round(value * factor) : null;
}

type Case = Results["cases"][number];
type CompletedCase = Extract<Case, { state: "completed" }>;

function figure(name: string, factor: number, of: (one: CompletedCase) => number | undefined): Column<Case> {
  return { name, factor, of: (result) => (result.state === "completed" ? of(result) : undefined) };
}

const CASE_COLUMNS: readonly Column<Case>[] = [
  { name: "id", of: ({ id }) => id },
  { name: "title", of: ({ title }) => title },
  { name: "side", of: ({ side }) => side },
  { name: "server", of: ({ server }) => server.name },
  { name: "serverVersion", of: ({ server }) => server.version },
  { name: "interface", of: ({ server }) => server.interface },
  { name: "connections", of: ({ connections }) => connections },
  { name: "state", of: ({ state }) => state },
  figure("requests", 1, ({ summary }) => summary.requests),
  figure("failures", 1, ({ summary }) => summary.failures.total),
  figure("requestsPerSec", 100, ({ summary }) => summary.requestsPerSec),
  figure("latencyMeanMs", 1000, ({ summary }) => summary.latencyMs.mean),
  figure("latencyP50Ms", 1000, ({ summary }) => summary.latencyMs.p50),
  figure("latencyP99Ms", 1000, ({ summary }) => summary.latencyMs.p99),
  figure("latencyMaxMs", 1000, ({ summary }) => summary.latencyMs.max),
  figure("cpuPerRequestUs", 100, ({ summary }) => summary.cpuPerRequestUs),
  figure("peakMemoryMiB", 10, ({ summary }) => summary.peakMemoryMiB),
  figure("clientBound", 1, ({ summary }) => Number(summary.clientBound)),
  figure("disturbed", 1, ({ disturbed }) => Number(disturbed ?? false)),
];

type ComparedRow = NonNullable<Results["comparison"]>["rows"][number];
type Metric = ComparedRow["metrics"][string];

interface NamedMetric {
  readonly row: ComparedRow;
  readonly name: string;
  readonly metric: Metric;
}

function metricsOf(row: ComparedRow): NamedMetric[] {
  return Object.entries(row.metrics).map(([name, metric]) => ({ row, name, metric }));
}

const METRIC_COLUMNS: readonly Column<NamedMetric>[] = [
  { name: "id", of: ({ row }) => row.id },
  { name: "connections", of: ({ row }) => row.connections },
  { name: "metric", of: ({ name }) => name },
  { name: "verdict", of: ({ metric }) => metric.verdict },
  { name: "change", factor: 1e6, of: ({ metric }) => metric.change },
  { name: "low", factor: 1e6, of: ({ metric }) => metric.interval[0] },
  { name: "high", factor: 1e6, of: ({ metric }) => metric.interval[1] },
  { name: "p", factor: 1e9, of: ({ metric }) => metric.p },
  { name: "minimumDetectable", factor: 1e6, of: ({ metric }) => metric.minimumDetectable },
  { name: "pairs", factor: 1, of: ({ metric }) => metric.pairs },
  { name: "base", factor: 1000, of: ({ metric }) => metric.base },
  { name: "head", factor: 1000, of: ({ metric }) => metric.head },
];

const PAIR_FACTOR = 1000;

/** A list of base's and one of head's figures, in the order of time. */
function pairsOf({ row, name }: NamedMetric, index: number) {
  const pairs = pairFigures(row, name);
  const side = (of: "base" | "head") => pairs.map((pair) => Math.round(pair[of] * PAIR_FACTOR));
  return pairs.length === 0 ? [] : [[index, side("base"), side("head")]];
}

/** Results -> report.md, in the form of the published benchmark pages. */
import type { Results } from "../../results/schema.js";
import { CHARTS_FOLDER, type ChartFile, chartsOf } from "../charts/charts.js";
import { comparisonMarkdown } from "../comparison/section.js";
import type { SetInfo } from "../tables/rows.js";
import { tablesOf } from "../tables/tables.js";
import { escapeLine, escapeProse, escapeText } from "../text/escape.js";
import { runDate, shortPython } from "../text/format.js";
import { markdownOf } from "../text/markdown.js";
import { evidence } from "./evidence.js";
import { missingWarning, notMeasured } from "./not-measured.js";

/** Four blanks at the end break the line, as the pages do it. */
const LINE_BREAK = "    ";

export interface ReportOptions {
  /** Link the charts, which then have to be in a folder beside the report. */
  readonly charts?: boolean;
}

export function renderReport(results: Results, options: ReportOptions = {}): string {
  const charts = chartsByTable(options.charts ? chartsOf(results) : []);
  const blocks = [
    `# ${pageTitle(results)}`,
    header(results)
      .map((line) => line + LINE_BREAK)
      .join("\n"),
    ...reportWarnings(results).map((warning) => `> **Warning:** ${escapeText(warning)}`),
    results.comparison ? comparisonMarkdown(results.comparison) : "",
    notMeasured(results.run),
    ...results.sets.flatMap((set) => setBlocks(set, results, charts)),
    evidence(results),
  ];
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

function pageTitle(results: Results): string {
  const titles = [...serverVersions(results).keys()];
  return titles.length === 1 ? `${escapeText(titles[0] ?? "")} benchmarks` : "Python web server benchmarks";
}

function header(results: Results): string[] {
  const { run, environment } = results;
  return [
    `Run at: ${runDate(run.startedAt)}`,
    `Environment: ${escapeText(environment.cpuModel)} @ ${escapeText(environment.os)} (CPUs: ${environment.cpus})`,
    `Python version: ${pythons(results)
      .map((version) => escapeText(version))
      .join(", ")}`,
    ...[...serverVersions(results)].flatMap(([title, versions]) =>
      versions.size > 0 ? [`${escapeLine(title)} version: ${escapeText([...versions].join(", "))}`] : [],
    ),
  ];
}

/** Title -> versions, in the order of the rows; none for a server that was never installed. */
function serverVersions({ cases }: Results): Map<string, Set<string>> {
  const versions = new Map<string, Set<string>>();
  for (const { server, side } of cases) {
    if (side !== "head") continue;
    const known = versions.get(server.title) ?? new Set();
    if (server.version !== undefined) known.add(server.version);
    versions.set(server.title, known);
  }
  return versions;
}

function pythons({ cases, environment }: Results): string[] {
  const used = cases.flatMap(({ server, side }) =>
    side === "head" && server.python ? [shortPython(server.python)] : [],
  );
  const inOrder = [...new Set(used)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return inOrder.length > 0 ? inOrder : [shortPython(environment.python)];
}

/** What was said about the whole run, that shards of it are missing, and that it did not end when it did not. */
export function reportWarnings({ run }: Results): string[] {
  const missing = missingWarning(run);
  const warnings = missing === undefined ? run.warnings : [...run.warnings, missing];
  const told = run.warnings.some((warning) => /interrupt/i.test(warning));
  if (run.finishedAt !== null || told) return warnings;
  return [...warnings, "The run did not finish: rows that it did not come to are missing."];
}

function setBlocks(set: SetInfo, results: Results, charts: ChartsByTable): string[] {
  const tables = tablesOf(set, results.cases);
  return [
    `## ${escapeText(set.title)}`,
    escapeProse(set.description ?? ""),
    escapeProse(set.methodology.join(" ")),
    ...tables.flatMap((table) => [
      table.heading === undefined ? "" : `### ${escapeText(table.heading)}`,
      markdownOf(table),
      ...(charts.get(tableKey(set.name, table.heading)) ?? []).flatMap((chart) => chartBlocks(chart)),
    ]),
    tables.length === 0 ? "No row of this set was measured." : "",
  ];
}

type ChartsByTable = ReadonlyMap<string, readonly ChartFile[]>;

function chartsByTable(charts: readonly ChartFile[]): ChartsByTable {
  const byTable = new Map<string, ChartFile[]>();
  for (const chart of charts) {
    const key = tableKey(chart.set, chart.group);
    const known = byTable.get(key);
    if (known) known.push(chart);
    else byTable.set(key, [chart]);
  }
  return byTable;
}

function tableKey(set: string, group: string | undefined): string {
  return JSON.stringify([set, group]);
}

function chartBlocks({ heading, alt, name, group }: ChartFile): string[] {
  const level = group === undefined ? "###" : "####";
  return [`${level} ${escapeText(heading)}`, `![${escapeText(alt)}](${CHARTS_FOLDER}/${name})`];
}

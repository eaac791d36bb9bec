/** Results -> report.md, in the form of the published benchmark pages. */
import type { Results } from "../../results/schema.js";
import { CHARTS_FOLDER, type ChartFile, chartsOf } from "../charts/charts.js";
import { mermaidChart } from "../charts/mermaid.js";
import { comparisonSections } from "../comparison/section.js";
import { profilesMarkdown } from "../profile/markdown.js";
import type { Origin } from "../repeat/origin.js";
import { baseLogs } from "../tables/base-logs.js";
import { furtherTable, isUntimed } from "../tables/further-table.js";
import { withNewLogs } from "../tables/notes.js";
import { groupsOf, type Row, rowsOf, type SetInfo } from "../tables/rows.js";
import { tablesOf } from "../tables/tables.js";
import { escapeLine, escapeProse, escapeText } from "../text/escape.js";
import { fitSections, type Section } from "../text/fit-to-limit.js";
import { runDate, shortPython } from "../text/format.js";
import { furtherMarkdown } from "../text/further-markdown.js";
import { leftOutText, tableOf } from "../text/left-out.js";
import { link } from "../text/link.js";
import { markdownOf } from "../text/markdown.js";
import { pageContents } from "../text/page-contents.js";
import { claimsOf } from "../trust/claims.js";
import { type Trust, trustBanner, withheldSentence } from "../trust/trust.js";
import { evidence } from "./evidence.js";
import { missingWarning, notMeasured } from "./not-measured.js";

/** Four blanks at the end break the line, as the pages do it. */
const LINE_BREAK = "    ";

export interface ReportOptions {
  /** Link the charts, which then have to be in a folder beside the report. */
  readonly charts?: boolean;
  /** Default: own results. */
  readonly trust?: Trust;
  readonly origin?: Origin;
}

export function renderReport(results: Results, options: ReportOptions = {}): string {
  return `${pageSections(results, options)
    .map(({ text }) => text)
    .filter(Boolean)
    .join("\n\n")}\n`;
}

export interface SummaryOptions extends ReportOptions {
  /** Where the whole report is. */
  readonly artifactUrl?: string;
  /** Where a browser opens the page. */
  readonly pageUrl?: string;
  /** Why the pull request has no comment, where one was wanted. */
  readonly uncommented?: string | undefined;
}

/** The report as a step's summary, which has no files beside it and a limit. @param limit bytes of UTF-8 */
export function renderSummary(results: Results, options: SummaryOptions = {}, limit = SUMMARY_BYTES): string {
  const { artifactUrl, pageUrl, uncommented } = options;
  const all = artifactUrl === undefined ? "among the results" : `among ${link("the results", artifactUrl)}`;
  const closing = (leftOut: readonly string[]) =>
    `Left out, because GitHub limits the length of a summary: ${leftOutText(leftOut)}. The whole report is \`report.md\`, ${all}.`;
  const [title, ...others] = pageSections(results, { ...options, charts: false }, mermaidChart);
  const notes = [uncommentedLine(uncommented), pageLine(results, pageUrl)].map((text) => ({ text }));
  const sections = [...(title ? [title] : []), ...notes, ...others];
  return `${fitSections(sections, limit - 1, closing)}\n`;
}

/** Of a step's summary: nothing else shows why there is no comment. "" where there is nothing to say. */
function uncommentedLine(reason: string | undefined): string {
  return reason === undefined ? "" : `> **The comment was not written:** ${escapeText(reason)}`;
}

function pageLine(results: Results, pageUrl: string | undefined): string {
  return pageUrl === undefined ? "" : `${link("The page", pageUrl)} has ${pageContents(results)}.`;
}

/** GitHub drops a summary beyond 1 MiB; the rest is room for other output of the step. */
const SUMMARY_BYTES = 1024 * 1024 - 1024;

/** What a summary leaves out first has the lowest. */
const ORDER = {
  evidence: 0,
  logs: 1,
  profiles: 2,
  /** The last one first. */
  sets: 3,
  comparison: { others: 4, how: 5, list: 8, changes: 9 },
  notMeasured: 6,
  warnings: 7,
  header: 10,
} as const;

/** A chart below a table, as Markdown. */
type Draw = (rows: readonly Row[]) => string;

function pageSections(
  given: Results,
  { trust = { kind: "own" }, ...options }: ReportOptions,
  draw: Draw = () => "",
): Section[] {
  const claims = claimsOf(given, trust);
  const { results } = claims;
  const charts = chartsByTable(options.charts ? chartsOf(results) : []);
  const title = `# ${pageTitle(results)}`;
  const logs = new Map<string, string>();
  const head = header(results).map((line) => line + LINE_BREAK);
  return [
    { text: title },
    { text: head.join("\n"), shorter: [{ order: ORDER.header, text: "", leftOut: "the environment" }] },
    { text: trustBanner(trust) },
    { text: withheldSentence(claims.withheld, "`results.json`") },
    { text: nothingLine(results.run) },
    warningSection(results),
    ...(results.comparison ? comparisonSections(results.comparison, ORDER.comparison) : []),
    droppable(profilesMarkdown(results.profiles ?? []), ORDER.profiles, "where the time went"),
    droppable(baseLogs(results.cases), ORDER.logs, "logs of failed benchmarks"),
    droppable(notMeasured(results.run), ORDER.notMeasured, "what was not measured"),
    droppable(furtherSection(results), ORDER.sets, "instructions and memory"),
    ...(isUntimed(results) ? [] : results.sets).map((set, i) =>
      setSection(set, results, { charts, draw, logs, order: ORDER.sets - i / (results.sets.length + 1) }),
    ),
    droppable(evidence(results, { trust, ...options }), ORDER.evidence, "the evidence"),
  ];
}

function droppable(text: string, order: number, leftOut: string): Section {
  return text === "" ? { text } : { text, shorter: [{ order, text: "", leftOut }] };
}

function nothingLine({ nothingToCompare }: Results["run"]): string {
  return nothingToCompare ? `**Nothing to compare with:** ${escapeText(nothingToCompare.reason)}` : "";
}

const FEW_WARNINGS = 5;

function warningSection(results: Results): Section {
  const warnings = reportWarnings(results).map((warning) => `> **Warning:** ${escapeText(warning)}`);
  const text = warnings.join("\n\n");
  if (warnings.length <= FEW_WARNINGS) return { text };
  const few = [...warnings.slice(0, FEW_WARNINGS), `> and ${warnings.length - FEW_WARNINGS} more warnings`];
  return { text, shorter: [{ order: ORDER.warnings, text: few.join("\n\n"), leftOut: "warnings" }] };
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
export function serverVersions({ cases }: Results): Map<string, Set<string>> {
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

/** The warnings of the whole run, with one for missing shards and one for a run that did not finish. */
export function reportWarnings({ run }: Results): string[] {
  const missing = missingWarning(run);
  const warnings = missing === undefined ? run.warnings : [...run.warnings, missing];
  const known = run.warnings.some((warning) => /interrupt/i.test(warning));
  if (run.finishedAt !== null || known) return warnings;
  return [...warnings, "The run did not finish: benchmarks that it did not reach are missing."];
}

function furtherSection(results: Results): string {
  const table = furtherTable(results);
  if (!table) return "";
  return `## ${table.title}\n\n${furtherMarkdown(table)}`;
}

interface SetDrawing {
  readonly charts: ChartsByTable;
  readonly draw: Draw;
  /** Logs that earlier sets show, and which set does. */
  readonly logs: Map<string, string>;
  readonly order: number;
}

function setSection(set: SetInfo, results: Results, { charts, draw: chart, logs: shown, order }: SetDrawing): Section {
  const groups = groupsOf(rowsOf(set, results.cases));
  const tables = tablesOf(set, results.cases).map((table) => withNewLogs(table, set.title, shown));
  const draw = (logs: boolean) =>
    [
      `## ${escapeText(set.title)}`,
      escapeProse(set.description ?? ""),
      escapeProse(set.methodology.join(" ")),
      ...tables.flatMap((table) => [
        table.heading === undefined ? "" : `### ${escapeText(table.heading)}`,
        markdownOf(table, { logs }),
        ...(charts.get(tableKey(set.name, table.heading)) ?? []).flatMap((one) => chartBlocks(one)),
        // Rows of the same name differ in these columns only.
        table.columns.some(({ kind }) => kind === "knob") ? "" : chart(groups.get(table.heading) ?? []),
      ]),
      tables.length === 0 ? "No benchmark of this set was measured." : "",
    ]
      .filter(Boolean)
      .join("\n\n");
  const hasLogs = tables.some(({ notes }) => notes.some(({ log }) => log !== undefined));
  return {
    text: draw(true),
    shorter: [
      ...(hasLogs ? [{ order: ORDER.logs, text: () => draw(false), leftOut: "logs of failed benchmarks" }] : []),
      { order, text: "", leftOut: tableOf(escapeText(set.title, TITLE_LIMIT)) },
    ],
  };
}

/** Code points of a set's title where the sets that were left out are listed. */
const TITLE_LIMIT = 60;

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

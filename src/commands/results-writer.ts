/** Writes results.json after every case, so that it is valid whenever the run ends. */
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { DEFAULTS } from "../options/options.js";
import { replaceFile } from "../replace-file.js";
import { CHARTS_FOLDER, chartFiles } from "../report/charts/charts.js";
import type { PageOptions } from "../report/html/page.js";
import { renderReport } from "../report/markdown/report.js";
import { caseKey } from "../results/check.js";
import type { Comparison } from "../results/comparison.js";
import type { RowProfile } from "../results/profile.js";
import type { CaseResult, FurtherRow, Results } from "../results/schema.js";
import { checkedForWriting, removeUnfinished, writeChecked } from "../results/write.js";
import { PAGE_FILE, REPORT_FILE, RESULTS_FILE } from "./output-folder.js";
import { readRowStacks } from "./row-stacks.js";

export async function writePage(folder: string, results: Results, options: PageOptions = {}): Promise<void> {
  await replaceFile(join(folder, PAGE_FILE), await pageIn(folder, results, options));
}

/** With the stacks that are in the folder. Loaded when a page is made: other commands start without its code. */
export async function pageIn(folder: string, results: Results, options: PageOptions = {}): Promise<string> {
  const { renderPage } = await import("../report/html/page.js");
  const rowStacks = await readRowStacks(folder, results);
  return renderPage(results, { ...options, rowStacks });
}

/** A folder that nobody named is in the middle of a checkout: `git add` would take it, and a release wants a clean one. */
async function keepFromGit(folder: string): Promise<void> {
  if (basename(folder) !== DEFAULTS.out) return;
  // A disk that is full stops the results themselves, with a message.
  await replaceFile(join(folder, ".gitignore"), "*\n").catch(() => undefined);
}

export class ResultsWriter {
  readonly resultsPath: string;
  readonly reportPath: string;
  readonly pagePath: string;
  readonly #folder: string;
  readonly #compare: ((head: Results) => Comparison) | undefined;
  /** Id of a row -> its place. */
  readonly #places: ReadonlyMap<string, number>;
  #results: Results;
  #written: Results;
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param compare what the finished results are compared with
   * @param order ids of all rows: the cases are in this order, whichever row is decided first
   */
  constructor(
    folder: string,
    results: Results,
    compare?: (head: Results) => Comparison,
    order: readonly string[] = [],
  ) {
    this.#compare = compare;
    this.#places = new Map(order.map((id, place) => [id, place]));
    this.#folder = folder;
    this.#results = results;
    this.#written = results;
    this.resultsPath = join(folder, RESULTS_FILE);
    this.reportPath = join(folder, REPORT_FILE);
    this.pagePath = join(folder, PAGE_FILE);
  }

  get results(): Results {
    return this.#results;
  }

  /** What the file holds of the results: the same, unless they are too large for one. */
  get written(): Results {
    return this.#written;
  }

  async open(): Promise<void> {
    const made = await mkdir(this.#folder, { recursive: true });
    if (made !== undefined) await keepFromGit(this.#folder);
    await removeUnfinished(this.resultsPath);
    await this.#write(this.#results);
  }

  async add(cases: readonly CaseResult[]): Promise<void> {
    await this.#write({ ...this.#results, cases: this.#inOrder([...this.#results.cases, ...cases]) });
  }

  /** Adds cases of pairs. They replace earlier cases of the same row, side and concurrency. */
  async put(cases: readonly CaseResult[]): Promise<void> {
    const byKey = new Map(this.#results.cases.map((result) => [caseKey(result), result]));
    for (const result of cases) byKey.set(caseKey(result), result);
    const results = { ...this.#results, cases: this.#inOrder([...byKey.values()]) };
    try {
      // The comparison holds the pairs: a run that is killed must not lose them.
      await this.#write(this.#compare ? { ...results, comparison: this.#compare(results) } : results);
    } catch (error) {
      // A comparison that fails or is refused must not take the cases with it.
      await this.#write(results);
      throw error;
    }
  }

  #inOrder(cases: CaseResult[]): CaseResult[] {
    const place = ({ id }: CaseResult) => this.#places.get(id) ?? this.#places.size;
    return cases.sort((a, b) => place(a) - place(b));
  }

  async addProfile(profile: RowProfile): Promise<void> {
    await this.#write({ ...this.#results, profiles: [...(this.#results.profiles ?? []), profile] });
  }

  /** Figures without verdicts. They replace earlier ones of the same row. */
  async putFurtherMetrics(rows: readonly FurtherRow[]): Promise<void> {
    const byId = new Map((this.#results.furtherMetrics ?? []).map((row) => [row.id, row]));
    for (const row of rows) byId.set(row.id, row);
    await this.#write({ ...this.#results, furtherMetrics: [...byId.values()] });
  }

  /** Closes the file and writes the report from it. */
  async finish(run: Partial<Results["run"]>): Promise<void> {
    // The cases are on the disk before a comparison or report can fail.
    await this.#write({ ...this.#results, run: { ...this.#results.run, ...run } });
    if (this.#compare) await this.#write({ ...this.#results, comparison: this.#compare(this.#results) });
    await this.#writeCharts();
    await replaceFile(this.reportPath, renderReport(this.#written, { charts: true }));
    await writePage(this.#folder, this.#written);
  }

  /** Written before the report, which links them. */
  async #writeCharts(): Promise<void> {
    const charts = chartFiles(this.#results);
    const folder = join(this.#folder, CHARTS_FOLDER);
    if (charts.length > 0) await mkdir(folder, { recursive: true });
    for (const { name, svg } of charts) await replaceFile(join(folder, name), svg);
  }

  /**
   * What is refused does not become part of later writes. Kept before the wait: two rows may be added at the same time. One write after the
   * other: an older file must not replace a newer one.
   */
  async #write(results: Results): Promise<void> {
    this.#results = checkedForWriting(this.resultsPath, results);
    const writing = this.#writing.then(() => this.#writeNewest());
    this.#writing = writing.catch(() => {});
    await writing;
  }

  async #writeNewest(): Promise<void> {
    this.#written = await writeChecked(this.resultsPath, this.#results);
  }
}

/** Writes results.json after every case, so that it is valid whenever the run ends. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CHARTS_FOLDER, chartsOf } from "../report/charts/charts.js";
import type { PageOptions } from "../report/html/page.js";
import { renderReport } from "../report/page/page.js";
import { caseKey } from "../results/check.js";
import type { Comparison } from "../results/comparison.js";
import type { CaseResult, Results } from "../results/schema.js";
import { writeResults } from "../results/write.js";
import { PAGE_FILE, REPORT_FILE, RESULTS_FILE } from "./output-folder.js";

/** Loaded when a page is made: other commands start without its code. */
export async function writePage(folder: string, results: Results, options: PageOptions = {}): Promise<void> {
  const { renderPage } = await import("../report/html/page.js");
  await writeFile(join(folder, PAGE_FILE), renderPage(results, options));
}

export class ResultsWriter {
  readonly resultsPath: string;
  readonly reportPath: string;
  readonly pagePath: string;
  readonly #folder: string;
  readonly #compare: ((head: Results) => Comparison) | undefined;
  #results: Results;

  /** @param compare what the finished results are compared with */
  constructor(folder: string, results: Results, compare?: (head: Results) => Comparison) {
    this.#compare = compare;
    this.#folder = folder;
    this.#results = results;
    this.resultsPath = join(folder, RESULTS_FILE);
    this.reportPath = join(folder, REPORT_FILE);
    this.pagePath = join(folder, PAGE_FILE);
  }

  get results(): Results {
    return this.#results;
  }

  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await this.#write();
  }

  async add(cases: readonly CaseResult[]): Promise<void> {
    this.#results = { ...this.#results, cases: [...this.#results.cases, ...cases] };
    await this.#write();
  }

  /** Adds cases of pairs. They replace earlier cases of the same row, side and concurrency. */
  async put(cases: readonly CaseResult[]): Promise<void> {
    const byKey = new Map(this.#results.cases.map((result) => [caseKey(result), result]));
    for (const result of cases) byKey.set(caseKey(result), result);
    this.#results = { ...this.#results, cases: [...byKey.values()] };
    // The comparison holds the pairs: a run that is killed must not lose them.
    if (this.#compare) this.#results = { ...this.#results, comparison: this.#compare(this.#results) };
    await this.#write();
  }

  /** Closes the file and writes the report from it. */
  async finish(run: Partial<Results["run"]>): Promise<void> {
    this.#results = { ...this.#results, run: { ...this.#results.run, ...run } };
    // The cases are on the disk before a comparison or report can fail.
    await this.#write();
    if (this.#compare) {
      this.#results = { ...this.#results, comparison: this.#compare(this.#results) };
      await this.#write();
    }
    await this.#writeCharts();
    await writeFile(this.reportPath, renderReport(this.#results, { charts: true }));
    await writePage(this.#folder, this.#results);
  }

  /** Written before the report, which links them. */
  async #writeCharts(): Promise<void> {
    const charts = chartsOf(this.#results);
    const folder = join(this.#folder, CHARTS_FOLDER);
    if (charts.length > 0) await mkdir(folder, { recursive: true });
    for (const { name, svg } of charts) await writeFile(join(folder, name), svg);
  }

  async #write(): Promise<void> {
    await writeResults(this.resultsPath, this.#results);
  }
}

/** What a person sees during a run: one live line on a terminal, plain lines in a log. */

import { relative } from "node:path";
import { isWithin } from "../is-within.js";
import { plural } from "../messages/sentence.js";
import { rowsOf } from "../plan/plan.js";
import { expectedRowSec } from "../plan/profile.js";
import type { Plan, PlannedRow } from "../plan/types.js";
import type { ProvisionProgress } from "../provision/types.js";
import { verdictWord } from "../report/comparison/metric-text.js";
import { comparedLine, progressLine, rowLine } from "../report/terminal/progress.js";
import { renderSet, renderTerminal } from "../report/terminal/terminal.js";
import type { ComparedRow } from "../results/comparison.js";
import type { CaseResult, Results } from "../results/schema.js";
import { PrintedVerdicts } from "./printed-verdicts.js";
import type { Output } from "./process-context.js";
import type { ResultsWriter } from "./results-writer.js";
import type { PairProgress } from "./run/paired-running.js";

export interface Display {
  readonly setup: ProvisionProgress;
  /** @param line the first one of the run */
  begin(plan: Plan, line: string): void;
  rowStarted(row: PlannedRow): void;
  phase(phase: string, connections?: number): void;
  caseDone(result: CaseResult): void;
  /** Every row of this set is measured, and other sets follow. */
  setDone(name: string, results: Results): void;
  pairStarted(row: PlannedRow, progress: PairProgress): void;
  /** Samples of the row are taken. */
  profileStarted(row: PlannedRow): void;
  /** @param control the row is the same on both sides: what it shows is noise, and no verdict */
  rowDecided(row: ComparedRow, control: boolean): void;
  interrupted(reason: string, writer: ResultsWriter | undefined): void;
  finished(writer: ResultsWriter): void;
  line(text: string): void;
  close(): void;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** How often the live line moves. */
const REFRESH_MS = 250;
const FALLBACK_COLUMNS = 100;

/** As a user would type it from here. */
function shortPath(path: string): string {
  const here = process.cwd();
  return isWithin(here, path) ? relative(here, path) : path;
}

export function openDisplay(output: Output, env: Variables): Display {
  return new StreamDisplay(output, env);
}

class StreamDisplay implements Display {
  readonly #output: Output;
  readonly #live: boolean;
  readonly #colour: boolean;
  #timer: NodeJS.Timeout | undefined;
  #liveText = "";
  #expectedSec: readonly number[] = [];
  #rows = 0;
  #index = 0;
  /** Which pair of the current row is measured. How many will follow is not known. */
  #pair: number | undefined;
  #current: { row: PlannedRow; startedAt: number } | undefined;
  #phase = { name: "starting", startedAt: 0, connections: undefined as number | undefined };
  readonly #steps = new Map<string, string>();
  /** Sets whose tables are printed. */
  readonly #shown = new Set<string>();
  /** Of the last case that failed. */
  #lastReason: string | undefined;
  readonly #verdicts = new PrintedVerdicts();

  constructor(output: Output, env: Variables) {
    this.#output = output;
    this.#live = output.isTTY === true && env.TERM !== "dumb" && !env.CI;
    this.#colour = this.#live && !env.NO_COLOR;
  }

  readonly setup: ProvisionProgress = {
    started: (step) => {
      this.#steps.set(step, "");
      if (this.#live) this.#startTimer();
      else this.line(`setup  ${step} ...`);
    },
    update: (step, detail) => {
      this.#steps.set(step, detail);
      this.#draw();
    },
    finished: (step, { seconds, detail, reused }) => {
      this.#steps.delete(step);
      const what = [reused ? "reused" : `${seconds.toFixed(1)} s`, ...(detail === undefined ? [] : [detail])].join(
        ", ",
      );
      // On a terminal, a line for something that was there already only distracts.
      if (!reused || !this.#live) this.line(`setup  ${step}: ${what}`);
    },
    failed: (step, reason) => {
      this.#steps.delete(step);
      this.line(`setup  ${step} FAILED: ${reason}`);
    },
    note: (text) => this.line(`note   ${text}`),
  };

  begin(plan: Plan, line: string): void {
    const rows = rowsOf(plan);
    this.#rows = rows.length;
    this.line(line);
    this.#expectedSec = rows.map((row) => expectedRowSec(plan.profile, row));
  }

  rowStarted(row: PlannedRow): void {
    this.#pair = undefined;
    this.#index += 1;
    this.#current = { row, startedAt: performance.now() };
    this.#setPhase("starting", undefined);
    this.#startTimer();
  }

  phase(phase: string, connections?: number): void {
    const pair = this.#pair === undefined ? "" : `pair ${this.#pair}, `;
    this.#setPhase(`${pair}${phase}`, connections);
    this.#draw();
  }

  pairStarted(row: PlannedRow, { pair, rows, decided }: PairProgress): void {
    this.#pair = pair;
    this.#index = decided + 1;
    this.#rows = rows;
    this.#current = { row, startedAt: performance.now() };
    this.#startTimer();
  }

  profileStarted(row: PlannedRow): void {
    this.#pair = undefined;
    this.#current = { row, startedAt: performance.now() };
    this.#startTimer();
  }

  rowDecided(row: ComparedRow, control: boolean): void {
    if (control) {
      this.line(`control: ${comparedLine({ ...row, verdict: "inconclusive" })}`);
      return;
    }
    this.#verdicts.add(row);
    this.line(comparedLine(row));
  }

  caseDone(result: CaseResult): void {
    this.line(rowLine(this.#withoutRepetition(result)));
  }

  setDone(name: string, results: Results): void {
    this.#shown.add(name);
    this.line(`\n${renderSet(results, name, this.#layout())}\n`);
  }

  /** A build that failed fails all cases of its rows: its error is printed once, where no other one came between. */
  #withoutRepetition(result: CaseResult): CaseResult {
    if (result.state !== "failed") return result;
    if (this.#lastReason === result.reason) return { ...result, reason: "for the same reason" };
    this.#lastReason = result.reason;
    return result;
  }

  interrupted(reason: string, writer: ResultsWriter | undefined): void {
    this.#stopTimer();
    const kept = writer ? `; ${keptWords(writer.results.cases.length)} ${shortPath(writer.resultsPath)}` : "";
    this.#printRevised(writer);
    this.line(`${reason}: servers are stopped${kept}`);
  }

  finished(writer: ResultsWriter): void {
    this.#stopTimer();
    this.#printRevised(writer);
    const { pagePath, reportPath, resultsPath } = writer;
    const paths = { page: shortPath(pagePath), report: shortPath(reportPath), results: shortPath(resultsPath) };
    this.line(`\n${renderTerminal(writer.written, { ...this.#layout(), paths, shown: this.#shown })}`);
  }

  #layout(): { readonly columns: number; readonly colour: boolean } {
    return { columns: this.#output.columns || FALLBACK_COLUMNS, colour: this.#colour };
  }

  #printRevised(writer: ResultsWriter | undefined): void {
    for (const { row, printed } of this.#verdicts.revised(writer?.results.comparison))
      this.line(`revised: ${comparedLine(row)}; it was ${verdictWord(printed)} before all benchmarks were measured`);
  }

  line(text: string): void {
    this.#erase();
    this.#output.write(`${text}\n`);
    this.#draw();
  }

  close(): void {
    this.#stopTimer();
  }

  #setPhase(name: string, connections: number | undefined): void {
    this.#phase = { name, connections, startedAt: performance.now() };
  }

  #startTimer(): void {
    if (!this.#live || this.#timer) return;
    this.#timer = setInterval(() => this.#draw(), REFRESH_MS);
    this.#timer.unref();
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#erase();
    this.#current = undefined;
    this.#steps.clear();
  }

  #erase(): void {
    if (this.#liveText === "") return;
    this.#output.write("\r\u001b[2K");
    this.#liveText = "";
  }

  #draw(): void {
    if (!this.#live) return;
    const text = this.#liveLine();
    if (text === this.#liveText) return;
    this.#erase();
    this.#output.write(text);
    this.#liveText = text;
  }

  #liveLine(): string {
    const columns = this.#output.columns || FALLBACK_COLUMNS;
    if (this.#current) {
      const now = performance.now();
      return progressLine({
        row: this.#index,
        rows: this.#rows,
        title: this.#current.row.title,
        ...(this.#phase.connections === undefined ? {} : { connections: this.#phase.connections }),
        phase: this.#phase.name,
        phaseSec: (now - this.#phase.startedAt) / 1000,
        ...(this.#pair === undefined && {
          remainingSec: this.#remainingSec((now - this.#current.startedAt) / 1000),
        }),
        columns,
      });
    }
    const steps = [...this.#steps].map(([step, detail]) => (detail === "" ? step : `${step} (${detail})`));
    return steps.length === 0 ? "" : `setup  ${steps.join("; ")}`.slice(0, columns - 1);
  }

  /** The rest of this row and all rows after it, at their expected time. */
  #remainingSec(elapsedSec: number): number {
    const [current = 0, ...later] = this.#expectedSec.slice(this.#index - 1);
    return Math.max(0, current - elapsedSec) + later.reduce((sum, sec) => sum + sec, 0);
  }
}

/** `2 cases are kept in` */
function keptWords(cases: number): string {
  return `${plural(cases, "case")} ${cases === 1 ? "is" : "are"} kept in`;
}

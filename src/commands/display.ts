/** What a person sees while it runs: one live line on a terminal, plain lines in a log. */
import { relative } from "node:path";
import { expectedRowSec } from "../plan/profile.js";
import type { Plan, PlannedRow } from "../plan/types.js";
import type { ProvisionProgress } from "../provision/types.js";
import { comparedLine, progressLine, rowLine } from "../report/terminal/progress.js";
import { renderTerminal } from "../report/terminal/terminal.js";
import type { ComparedRow } from "../results/comparison.js";
import type { CaseResult } from "../results/schema.js";
import type { Output } from "./process-context.js";
import type { ResultsWriter } from "./results-writer.js";
import type { PairProgress } from "./run/paired-run.js";

export interface Display {
  readonly setup: ProvisionProgress;
  begin(plan: Plan): void;
  rowStarted(row: PlannedRow): void;
  phase(phase: string, connections?: number): void;
  caseDone(result: CaseResult): void;
  pairStarted(row: PlannedRow, progress: PairProgress): void;
  rowCompared(row: ComparedRow): void;
  interrupted(reason: string, writer: ResultsWriter | undefined): void;
  finished(writer: ResultsWriter): void;
  line(text: string): void;
  close(): void;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** How often the live line moves. */
const REFRESH_MS = 250;
const FALLBACK_COLUMNS = 100;

/** As one would type it from here. */
function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
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
  /** Of the row that is measured in pairs: how long it takes is open. */
  #pair: number | undefined;
  #current: { row: PlannedRow; startedAt: number } | undefined;
  #phase = { name: "starting", startedAt: 0, connections: undefined as number | undefined };
  readonly #steps = new Map<string, string>();

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
      // What was there already is no news, except that it was used.
      if (!reused || !this.#live) this.line(`setup  ${step}: ${what}`);
    },
    failed: (step, reason) => {
      this.#steps.delete(step);
      this.line(`setup  ${step} FAILED: ${reason}`);
    },
    note: (text) => this.line(`note   ${text}`),
  };

  begin(plan: Plan): void {
    const rows = plan.sets.flatMap((set) => set.rows);
    this.#rows = rows.length;
    const sets = plan.sets.map((set) => set.name).join(", ");
    this.line(`${sets}: ${rows.length} ${rows.length === 1 ? "row" : "rows"}, profile ${plan.profile.name}`);
    this.#expectedSec = rows.map((row) => expectedRowSec(plan.profile, row.windowSec, row.connections.length));
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

  rowCompared(row: ComparedRow): void {
    this.line(comparedLine(row));
  }

  caseDone(result: CaseResult): void {
    this.line(rowLine(result));
  }

  interrupted(reason: string, writer: ResultsWriter | undefined): void {
    this.#stopTimer();
    const kept = writer ? `; ${writer.results.cases.length} cases are kept in ${shortPath(writer.resultsPath)}` : "";
    this.line(`${reason}: servers are stopped${kept}`);
  }

  finished(writer: ResultsWriter): void {
    this.#stopTimer();
    const columns = this.#output.columns || FALLBACK_COLUMNS;
    const paths = { results: shortPath(writer.resultsPath), report: shortPath(writer.reportPath) };
    this.line(`\n${renderTerminal(writer.results, { columns, colour: this.#colour, paths })}`);
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

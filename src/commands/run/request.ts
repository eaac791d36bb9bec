/** What `run` is given, and what it returns. */
import type { Results } from "../../results/schema.js";
import type { Against } from "./against.js";
import type { HeadPlan } from "./head-plan.js";
import type { RunOptions } from "./options.js";

export interface RunRequest extends RunOptions {
  readonly against: Against;
  readonly head: HeadPlan;
  /** For the reader of the report, such as inputs that had nothing to apply to. */
  readonly notes: readonly string[];
  /** The command that repeats this run, for the report. */
  readonly command: readonly string[];
  /** The same for a run that finds nothing to compare with; default: `command`. */
  readonly commandAlone?: readonly string[];
  /** Of the release that is measured. */
  readonly tag?: string;
}

/** Another run measures on this machine, and this one waits for it. */
export interface MachineWait {
  /** When the other run is expected to end, ISO 8601; null: unknown. */
  readonly until: string | null;
  /** The run gives up after this. */
  readonly minutesAtMost: number;
}

/** The run waits for them. The first three are called while nothing is measured. */
export interface RunHooks {
  /** @param rows of the plan */
  begin?(rows: number): Promise<void>;
  /** @param wait undefined: the wait is over */
  waiting?(wait: MachineWait | undefined): Promise<void>;
  /** @param done rows that are measured or decided */
  between?(done: number): Promise<void>;
  /** An error ends the run, and this was measured before it. */
  stopped?(written: WrittenResults): void;
}

export interface RunOutcome {
  readonly exitCode: number;
  /** Undefined where the run ended before its first file. */
  readonly written: WrittenResults | undefined;
}

/** Beside the results: the logs of builds that failed. */
export const LOGS_FOLDER = "logs";

export interface WrittenResults {
  readonly results: Results;
  readonly resultsPath: string;
  readonly reportPath: string;
}

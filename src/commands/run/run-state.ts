/** What every stage of a run's measuring shares. */

import type { CpuSplit } from "../../measure/machine/cpus.js";
import type { SelectedMetrics } from "../../plan/selected-metrics.js";
import type { Plan } from "../../plan/types.js";
import type { Provisioned } from "../../provision/types.js";
import type { Display } from "../display.js";
import type { ProcessContext } from "../process-context.js";
import type { ResultsWriter } from "../results-writer.js";
import type { Session } from "../session.js";
import type { RunHooks } from "./request.js";

export interface RunState {
  readonly plan: Plan;
  readonly provisioned: Provisioned;
  /** Why pairs say nothing, before one is measured: base's files changed while head was installed. */
  readonly baseProblem: string | undefined;
  readonly cpus: CpuSplit;
  readonly context: ProcessContext;
  readonly session: Session;
  readonly writer: ResultsWriter;
  readonly display: Display;
  readonly hooks: RunHooks;
  readonly metrics: SelectedMetrics;
  /** Nobody asked for counted instructions: a server that cannot be counted has not failed. */
  readonly countsAreExtra: boolean;
}

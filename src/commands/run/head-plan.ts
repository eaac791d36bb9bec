/** Head's rows, planned before anything is asked of GitHub, checked out or installed. */
import { availableParallelism } from "node:os";
import { checkAppFiles } from "../../plan/app-files.js";
import { unusedServers } from "../../plan/defaults.js";
import { withLatency } from "../../plan/latency.js";
import type { OptionNames } from "../../plan/option-names.js";
import { type Planned, type PlanOptions, rowsOf } from "../../plan/plan.js";
import type { ProvisionProgress } from "../../provision/types.js";
import { withDefaults } from "../defaults.js";
import { planWithPythons } from "../planning.js";
import type { ProcessContext } from "../process-context.js";
import { type Against, measuredBase } from "./against.js";
import type { RunOptions } from "./options.js";

export interface HeadPlan {
  readonly plan: Planned;
  /** What it was planned with: base is planned in the same way. */
  readonly options: Omit<PlanOptions, "python" | "pythons">;
  readonly python: string | undefined;
}

interface PlannedHead extends HeadPlan {
  /** With what the checkout adds to what was given. */
  readonly run: RunOptions;
  /** For the log and the report: what nobody asked for. */
  readonly notes: readonly string[];
}

/** @throws InputError for wrong options; SetupError when the Pythons of the machine cannot be found; Interrupted */
export async function planHead(
  given: RunOptions,
  names: OptionNames,
  context: ProcessContext,
  progress: ProvisionProgress,
): Promise<PlannedHead> {
  const { notes: chosen, ...run } = await withDefaults(given, context, names);
  const options = {
    root: context.root,
    cwd: context.cwd,
    selectors: run.selectors,
    profile: run.profile,
    servers: run.servers,
    cores: availableParallelism(),
    names,
    ...(run.shard && { ofWholeSets: true }),
    ...(run.scenarios !== undefined && { scenarios: run.scenarios }),
  };
  const plan = await planWithPythons(options, run.python, context, progress);
  checkAppFiles(rowsOf(plan));
  // Another shard may run them, and a server that nobody named is no mistake.
  const named = run.shard || given.servers.length === 0 ? [] : run.servers;
  const notes = [...chosen, ...unusedServers(named, rowsOf(plan), names)];
  for (const note of notes) progress.note(note);
  return { plan, options, python: run.python, run, notes };
}

/** Asks for the latency of every row where base is measured with it. @throws InputError for a row that cannot have it */
export function planLatency(head: HeadPlan, against: Against, names: OptionNames): HeadPlan {
  if (!measuredBase(against)?.latency) return head;
  return { ...head, plan: { ...head.plan, sets: withLatency(head.plan.sets, names.latency) } };
}

/** Names of the servers that will be measured. */
export function serversOf({ plan }: HeadPlan): readonly string[] {
  return [...new Set(rowsOf(plan).map((row) => row.server.name))];
}

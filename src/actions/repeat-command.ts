/** The command that repeats an action's run on another machine. */

import { relative } from "node:path";
import { type Against, measuredBase, NONE } from "../commands/run/against.js";
import type { RunOptions } from "../commands/run/options.js";
import type { RunRequest } from "../commands/run/request.js";
import { detectPercent, USUAL_PRECISION } from "../compare/precision.js";
import type { ActionContext } from "./context.js";

type Inputs = Pick<
  RunOptions,
  "selectors" | "profile" | "servers" | "python" | "profileRows" | "metrics" | "memoryLimitMiB"
> & {
  /** As it was given: a relative path stays one. */
  readonly scenarios: string | undefined;
};

/** With the folder as it is typed in the workspace. */
export function typedOptions(
  { scenarios, ...run }: RunOptions,
  { inputs, context }: Pick<ActionContext, "inputs" | "context">,
): Inputs {
  const found = scenarios === undefined ? undefined : relative(context.cwd, scenarios);
  return { ...run, scenarios: inputs.scenariosDir ?? found };
}

export function repeatCommands(inputs: Inputs, against: Against): Pick<RunRequest, "command" | "commandAlone"> {
  return { command: repeatCommand(inputs, against), commandAlone: repeatCommand(inputs, NONE) };
}

function repeatCommand(inputs: Inputs, against: Against): string[] {
  const { selectors, profile, scenarios, servers, python, profileRows, metrics, memoryLimitMiB } = inputs;
  return [
    ...["server-bench", "run", ...selectors, "--profile", profile],
    ...(scenarios === undefined ? [] : ["--scenarios", scenarios]),
    ...servers.flatMap((server) => ["--server", server]),
    ...(python === undefined ? [] : ["--python", python]),
    ...(metrics === undefined ? [] : ["--metrics", metrics.join()]),
    ...(memoryLimitMiB === undefined ? [] : ["--memory-limit", String(memoryLimitMiB)]),
    ...againstArguments(against),
    ...(measuredBase(against) ? profileArguments(profileRows) : []),
  ];
}

function profileArguments(rows: RunOptions["profileRows"]): string[] {
  if (rows?.kind === "none") return ["--profile-rows", "none"];
  return (rows?.named ?? []).flatMap((row) => ["--profile-rows", row]);
}

function againstArguments(against: Against): string[] {
  const base = measuredBase(against);
  const stored = "stored" in against ? against.stored : undefined;
  return [
    ...(stored?.runs ?? []).flatMap(({ source }) => ["--base-results", source]),
    ...(stored?.anchors ?? []).flatMap((server) => ["--anchor", server]),
    ...(base ? [stored ? "--confirm" : "--base", base.source.given] : []),
    ...(base?.budgetMinutes === undefined ? [] : ["--budget", String(base.budgetMinutes)]),
    ...(base?.latency ? ["--latency"] : []),
    ...(base && base.precision !== USUAL_PRECISION ? ["--detect", String(detectPercent(base.precision))] : []),
  ];
}

/** The command that repeats an action's run on another machine. */

import { type Against, measuredBase } from "../commands/run/against.js";
import type { RunOptions } from "../commands/run/options.js";
import { detectPercent, USUAL_PRECISION } from "../compare/precision.js";

type Inputs = Pick<RunOptions, "selectors" | "profile" | "servers" | "python"> & {
  /** As it was given: a relative path stays one. */
  readonly scenarios: string | undefined;
};

export function repeatCommand({ selectors, profile, scenarios, servers, python }: Inputs, against: Against): string[] {
  return [
    ...["server-bench", "run", ...selectors, "--profile", profile],
    ...(scenarios === undefined ? [] : ["--scenarios", scenarios]),
    ...servers.flatMap((server) => ["--server", server]),
    ...(python === undefined ? [] : ["--python", python]),
    ...againstArguments(against),
  ];
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

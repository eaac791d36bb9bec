/** Inputs that have no effect on this run, because a workflow gives the same inputs for all of its events. */

import { type Against, measuredBase } from "../commands/run/against.js";
import { namesRowsWithoutBase } from "../commands/run/profile-rows.js";
import { USUAL_PRECISION } from "../compare/precision.js";
import type { ActionInputs } from "./inputs.js";

/** Undefined where every input applies. */
export function unusedNote(against: Against, inputs: Pick<ActionInputs, "run" | "compare">): string | undefined {
  const unused = unusedInputs(against, inputs);
  if (unused.length === 0) return undefined;
  if (unused.length === 1) return `The input ${unused[0]} has nothing to apply to in this run.`;
  return `The inputs ${unused.join(", ")} have nothing to apply to in this run.`;
}

function unusedInputs(against: Against, { run, compare }: Pick<ActionInputs, "run" | "compare">): string[] {
  const stored = "stored" in against;
  const pairs = measuredBase(against) !== undefined;
  return [
    ...(run.failOn === "worse" && against.kind === "none" ? ["fail-on: worse"] : []),
    ...(compare.anchors.length > 0 && !stored ? ["anchor"] : []),
    ...(compare.budgetMinutes !== undefined && !pairs ? ["budget"] : []),
    ...(namesRowsWithoutBase(run.profileRows, against) ? ["profile-rows"] : []),
    ...(compare.latency && !pairs ? ["latency: true"] : []),
    ...(compare.precision !== USUAL_PRECISION && !pairs ? ["detect"] : []),
  ];
}

/** Which metrics a run judges where the user named none. */
import { detectOf, detectPercent } from "../../compare/precision.js";
import { findValgrind } from "../../measure/instructions/valgrind.js";
import { type SelectedMetrics, USUAL_METRICS, WITH_COUNTS } from "../../plan/selected-metrics.js";
import type { Display } from "../display.js";
import type { ProcessContext } from "../process-context.js";
import type { Session } from "../session.js";
import type { RunRequest } from "./request.js";

interface ChosenMetrics {
  readonly metrics: SelectedMetrics;
  /** Nobody asked for counted instructions. */
  readonly countsAreExtra: boolean;
  /** Instructions are counted in rows that may have changed. */
  readonly countsSuspects: boolean;
}

/**
 * Beside a base, instructions are counted where Valgrind is there. Other load hardly changes them: they show a change of 1 % of the work in
 * seconds, and time alone in minutes if at all (evaluation/README.md). Who looks for changes below the usual size gets all
 * rows counted, others those that may have changed.
 * @throws the run's abort reason
 */
export async function chooseMetrics(
  { metrics, against }: Pick<RunRequest, "metrics" | "against">,
  { env }: Pick<ProcessContext, "env">,
  display: Pick<Display, "setup">,
  session: Pick<Session, "context">,
): Promise<ChosenMetrics> {
  const none = { countsAreExtra: false, countsSuspects: false };
  if (metrics) return { metrics, ...none };
  const usual = { metrics: USUAL_METRICS, ...none };
  if (against.kind !== "paired" && against.kind !== "storedThenPaired") return usual;
  const { precision } = against.base;
  const countsAll = against.kind === "paired" && detectOf(precision) !== undefined;
  const found = await findValgrind(env, session.context);
  if (found.state === "found")
    return { metrics: countsAll ? WITH_COUNTS : USUAL_METRICS, countsAreExtra: true, countsSuspects: !countsAll };
  if (countsAll) {
    const percent = detectPercent(precision);
    display.setup.note(`Instruction counts would show changes of ${percent} % sooner than time does: ${found.reason}`);
  }
  return usual;
}

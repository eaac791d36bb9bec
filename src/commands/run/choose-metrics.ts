/** Which metrics a run judges where the user named none. */
import { detectOf, detectPercent } from "../../compare/precision.js";
import { findValgrind } from "../../measure/instructions/valgrind.js";
import { type AskedMetrics, USUAL_METRICS, WITH_COUNTS } from "../../plan/asked-metrics.js";
import type { Display } from "../display.js";
import type { ProcessContext } from "../process-context.js";
import type { Session } from "../session.js";
import type { RunRequest } from "./request.js";

interface ChosenMetrics {
  readonly metrics: AskedMetrics;
  /** Nobody asked for counted instructions. */
  readonly countsAreExtra: boolean;
}

/**
 * Who looks for changes below the usual size beside a base also gets counted instructions, where Valgrind is there: they show a change of
 * 1 % of the work in seconds, and time alone in minutes if at all (docs/evaluation-instructions.md).
 * @throws the run's abort reason
 */
export async function chooseMetrics(
  { metrics, against }: Pick<RunRequest, "metrics" | "against">,
  { env }: Pick<ProcessContext, "env">,
  display: Pick<Display, "setup">,
  session: Pick<Session, "context">,
): Promise<ChosenMetrics> {
  if (metrics) return { metrics, countsAreExtra: false };
  const usual = { metrics: USUAL_METRICS, countsAreExtra: false };
  if (against.kind !== "paired" || detectOf(against.base.precision) === undefined) return usual;
  const found = await findValgrind(env, session.context);
  if (found.state === "found") return { metrics: WITH_COUNTS, countsAreExtra: true };
  const percent = detectPercent(against.base.precision);
  display.setup.note(`Counted instructions would show changes of ${percent} % sooner than time does: ${found.reason}`);
  return usual;
}

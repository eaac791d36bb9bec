/** The first line of a run: how much it measures, and about how long that takes. */

import { lastLook } from "../../compare/looks.js";
import { USUAL_PRECISION, usualPairs } from "../../compare/precision.js";
import { expectedRowSec, profileNamed, windowSec } from "../../plan/profile.js";
import type { Plan, PlannedRow, Profile } from "../../plan/types.js";
import { coarse } from "../../report/terminal/progress.js";
import { plural } from "../../report/text/format.js";
import type { MeasuredBase } from "./against.js";
import type { PairedPlan } from "./base-plan.js";

/** Seconds of a pair. */
const PAIR_SEC = 4.3;

interface Start {
  readonly plan: Plan;
  /** Undefined where no row is measured in pairs from the start. */
  readonly paired: PairedPlan | undefined;
  /** Undefined where no base is measured. */
  readonly base: Pick<MeasuredBase, "budgetMinutes" | "precision"> | undefined;
  /** `--profile quick`, as the user would write it. */
  readonly quickProfile: string;
}

/** `interfaces: 18 rows, 54 cases, about 12 min; --profile quick: about 1 min` */
export function startLine({ plan, paired, base, quickProfile }: Start): string {
  const names = plan.sets.map(({ name }) => name).join(", ");
  if (!paired)
    return `${names}: ${aloneText(
      plan.sets.flatMap(({ rows }) => rows),
      plan.profile,
      quickProfile,
    )}`;
  const alone = paired.alone.length > 0 ? [`without base: ${aloneText(paired.alone, plan.profile, quickProfile)}`] : [];
  return `${names}: ${[pairsText(paired, base), ...alone].join("; ")}`;
}

/** Of rows measured one after the other, set-up not included. */
export function expectedSec(rows: readonly PlannedRow[], profile: Profile): number {
  return rows.reduce((sum, row) => sum + expectedRowSec(profile, row.windowSec, row.connections.length), 0);
}

function aloneText(rows: readonly PlannedRow[], profile: Profile, quickProfile: string): string {
  const cases = rows.reduce((sum, { connections }) => sum + connections.length, 0);
  const size = `${plural(rows.length, "row")}, ${plural(cases, "case")}, about ${coarse(expectedSec(rows, profile))}`;
  if (profile.name === "quick") return size;
  const quick = profileNamed("quick");
  // One case a row: a smoke test tries no further concurrencies.
  const quickSec = rows.length * expectedRowSec(quick, windowSec(quick, undefined), 1);
  return `${size}; ${quickProfile}: about ${coarse(quickSec)}`;
}

/** What an unchanged row takes, and what one in doubt takes at most. */
function pairsText({ measured, control }: PairedPlan, base: Start["base"]): string {
  const { budgetMinutes, precision = USUAL_PRECISION } = base ?? {};
  const rows = measured.length + (control ? 1 : 0);
  const unchanged = rows * PAIR_SEC * usualPairs(precision);
  const most = rows * PAIR_SEC * lastLook(precision.looks);
  const bound = budgetMinutes !== undefined && budgetMinutes * 60 < unchanged;
  const time = bound
    ? `at most ${budgetMinutes} min`
    : `about ${coarse(unchanged)}, ${coarse(most)} if all are in doubt`;
  return `${plural(rows, "row")} in pairs with base, ${time}`;
}

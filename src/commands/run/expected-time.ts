/** The first line of a run: how much it measures, and about how long that takes. */
import { expectedRowSec, profileNamed, windowSec } from "../../plan/profile.js";
import type { Plan, PlannedRow, Profile } from "../../plan/types.js";
import { coarse } from "../../report/terminal/progress.js";
import { plural } from "../../report/text/format.js";
import type { PairedPlan } from "./base-plan.js";

/** What an unchanged row takes in pairs: 4 to 7 pairs of some 4.5 s. A row in doubt takes up to a minute. */
const PAIRED_ROW_SEC = 25;

interface Start {
  readonly plan: Plan;
  /** Undefined where no row is measured in pairs from the start. */
  readonly paired: PairedPlan | undefined;
  readonly budgetMinutes: number | undefined;
  /** `--profile quick`, as the user would write it. */
  readonly quickProfile: string;
}

/** `interfaces: 18 rows, 54 cases, about 12 min; --profile quick: about 1 min` */
export function startLine({ plan, paired, budgetMinutes, quickProfile }: Start): string {
  const names = plan.sets.map(({ name }) => name).join(", ");
  if (!paired)
    return `${names}: ${aloneText(
      plan.sets.flatMap(({ rows }) => rows),
      plan.profile,
      quickProfile,
    )}`;
  const alone = paired.alone.length > 0 ? [`without base: ${aloneText(paired.alone, plan.profile, quickProfile)}`] : [];
  return `${names}: ${[pairsText(paired, budgetMinutes), ...alone].join("; ")}`;
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

function pairsText({ measured, control }: PairedPlan, budgetMinutes: number | undefined): string {
  const rows = measured.length + (control ? 1 : 0);
  const sec = rows * PAIRED_ROW_SEC;
  const bound = budgetMinutes !== undefined && budgetMinutes * 60 < sec;
  const time = bound ? `at most ${budgetMinutes} min` : `about ${coarse(sec)}`;
  return `${plural(rows, "row")} in pairs with base, ${time}`;
}

import { InputError } from "../errors.js";
import type { ProfileName } from "../results/schema.js";
import { didYouMean } from "./nearest.js";
import { COMMAND_LINE } from "./option-names.js";
import type { PlannedRow, Profile } from "./types.js";

/** Windows and warm-ups; the reference pages measure 10 s after 7 s of warm-up. */
const PROFILES: Record<ProfileName, Profile> = {
  quick: { name: "quick", warmupStepSec: 0.3, warmupMaxSec: 0.3, windowSec: 1, sweep: false },
  standard: { name: "standard", warmupStepSec: 0.5, warmupMaxSec: 5, windowSec: 10, sweep: true },
  thorough: { name: "thorough", warmupStepSec: 1, warmupMaxSec: 10, windowSec: 30, sweep: true },
};

/** @throws InputError for an unknown name. */
export function profileNamed(name: string, option = COMMAND_LINE.profile): Profile {
  const names = Object.keys(PROFILES) as ProfileName[];
  const found = names.find((known) => known === name);
  if (!found) {
    throw new InputError(`invalid ${option} "${name}": use quick, standard or thorough${didYouMean(name, names)}`);
  }
  return PROFILES[found];
}

/** Measured seconds of a case: a set's own window counts, except in a smoke test. */
export function windowSec(profile: Profile, setWindowSec: number | undefined): number {
  if (profile.name === "quick" || setWindowSec === undefined) return profile.windowSec;
  return profile.name === "standard" ? setWindowSec : Math.max(profile.windowSec, setWindowSec);
}

/** What makes a row long. */
type Timed = Pick<PlannedRow, "windowSec" | "connections" | "startup" | "rateShare" | "idleConnections">;

/** Seconds of a start with its end, of the window that measures a maximum, and until idle connections are settled. */
const START_SEC = 0.8;
const MAXIMUM_SEC = 3;
const IDLE_SETTLE_SEC = 1;
const IDLE_PER_SEC = 3000;
/** A steady server needs three. The 54 cases of `interfaces` needed six to seven on average, on two CPUs of a shared machine. */
const WARM_UP_STEPS = 6;
/** A row that measures the start, except in a smoke test. */
const STARTS = 5;

/** Typical seconds of a row (server starts, warm-up, windows), for `list` and for the time left. */
export function expectedRowSec(profile: Profile, row: Timed): number {
  const warmupSec = Math.min(profile.warmupMaxSec, WARM_UP_STEPS * profile.warmupStepSec);
  const maximumSec = row.rateShare === undefined ? 0 : Math.min(row.windowSec, MAXIMUM_SEC);
  const idleSec = row.idleConnections === undefined ? 0 : IDLE_SETTLE_SEC + row.idleConnections / IDLE_PER_SEC;
  const starts = row.startup && profile.name !== "quick" ? STARTS : 1;
  return starts * START_SEC + row.connections.length * (warmupSec + maximumSec + row.windowSec + idleSec);
}

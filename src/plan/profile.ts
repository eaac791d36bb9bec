import { InputError } from "../errors.js";
import type { ProfileName } from "../results/schema.js";
import { didYouMean } from "./nearest.js";
import { COMMAND_LINE } from "./option-names.js";
import type { Profile } from "./types.js";

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

/** Typical seconds of a row (server start, warm-up, windows), for `list` and for the time left. */
export function expectedRowSec(profile: Profile, window: number, cases: number): number {
  const serverStartSec = 0.8;
  // A steady server needs three steps.
  const warmupSec = Math.min(profile.warmupMaxSec, 3 * profile.warmupStepSec);
  return serverStartSec + cases * (warmupSec + window);
}

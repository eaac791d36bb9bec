/** What is large enough to matter, and small enough to be the same: by metric, because some are noisier than others. */
import { type Effect, EQUIVALENCE, FLOOR, floorTest, minimumDetectable } from "./verdict.js";

export interface Margins {
  /** On logarithms: changes up to it are of no interest, and identical servers show them. */
  readonly floor: number;
  /** Relative: within it either way is the same. */
  readonly equivalence: number;
}

export const USUAL_MARGINS: Margins = { floor: FLOOR, equivalence: EQUIVALENCE };

/** The test knows one floor; an effect in units of another one is the same question. */
function inFloors<T extends Omit<Effect, "logRatio">>(effect: T, { floor }: Margins): T {
  return { ...effect, standardError: (effect.standardError * FLOOR) / floor };
}

/** The p-value of "no change beyond the floor". */
export function marginTest(effect: Effect, margins: Margins): number {
  return floorTest({ ...inFloors(effect, margins), logRatio: (effect.logRatio * FLOOR) / margins.floor });
}

/** `minimumDetectable` with this floor. */
export function smallestVisible(
  effect: Omit<Effect, "logRatio">,
  level: number,
  { better, margins }: { readonly better: "higher" | "lower"; readonly margins: Margins },
): number {
  const floors = Math.log1p(minimumDetectable(inFloors(effect, margins), level, { better: "lower" })) / FLOOR;
  const reach = floors * margins.floor;
  return better === "higher" ? -Math.expm1(-reach) : Math.expm1(reach);
}

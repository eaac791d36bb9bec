/** Both sides of a row, or head alone, prepared for one measurement. */
import type { PlannedRow, Side } from "../../plan/types.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import type { CpuSplit } from "../machine/cpus.js";
import { besideServices, type PreparationContext, type Prepared, preparedRow, prepareSide } from "./prepare.js";
import { endOf, type PreparationFailure } from "./service.js";

interface Source {
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}
interface Sources {
  readonly base?: Source | undefined;
  readonly head: Source;
}

interface PreparedSides<Both extends Sources> extends AsyncDisposable {
  readonly state: "prepared";
  /** The rows with what their servers need of the preparation. */
  readonly sides: Both;
  readonly cpus: CpuSplit;
  /** A service that runs no longer. */
  endedService(): SideFailure | undefined;
}

type SideFailure = PreparationFailure & { readonly side: Side };

/** Without its service a server may fail, or answer in another way. Base's comes first: head alone would look broken. */
export function endedServiceOf(prepared: Readonly<Partial<Record<Side, Prepared>>>): SideFailure | undefined {
  for (const side of ["base", "head"] as const) {
    const problem = prepared[side]?.services.flatMap((service) => endOf(service) ?? [])[0];
    if (problem) return { ...problem, side };
  }
  return undefined;
}

/**
 * Starts the services of each side and runs its commands. Disposing ends the services.
 * @throws the run's abort reason; everything that was started has ended then
 */
export async function prepareSides<Both extends Sources>(
  both: Both,
  context: PreparationContext,
): Promise<PreparedSides<Both> | SideFailure> {
  const prepared: Partial<Record<Side, Prepared>> = {};
  const end = async () => {
    for (const one of Object.values(prepared).toReversed()) await one[Symbol.asyncDispose]();
  };
  const changed: Partial<Record<Side, Source>> = {};
  let handedOn = false;
  try {
    for (const side of ["base", "head"] as const) {
      const source = both[side];
      if (!source) continue;
      const one = await prepareSide(source.row, side, source.ready, context);
      if (one.state === "failed") return { ...one, side };
      prepared[side] = one;
      changed[side] = { ...source, row: preparedRow(source.row, one) };
    }
    handedOn = true;
    const cpus = besideServices(context.cpus, Object.values(prepared));
    return {
      state: "prepared",
      sides: { ...both, ...changed },
      cpus,
      endedService: () => endedServiceOf(prepared),
      [Symbol.asyncDispose]: end,
    };
  } finally {
    if (!handedOn) await end();
  }
}

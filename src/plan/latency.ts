/** Which rows have their latency compared, at a fixed rate: `latency: true` in a scenario file, `run --latency` for all. */
import { InputError, messageOf } from "../errors.js";
import { COMMAND_LINE } from "./option-names.js";
import type { GeneratorName, PlannedRow, PlannedSet } from "./types.js";

/**
 * These send by a clock and measure latency from the moment when a request is due. wrk has no fixed rate; ghz and the
 * websocket client measure from the moment of sending.
 */
const BY_CLOCK: ReadonlySet<GeneratorName> = new Set<GeneratorName>(["oha"]);

type Asking = Pick<PlannedRow, "id" | "generator"> & { readonly latency?: boolean };

/** The row, where its latency can be compared or need not be. @throws Error naming row and generator */
export function checkLatency<T extends Asking>(row: T): T {
  const { id, generator, latency = false } = row;
  if (!latency || BY_CLOCK.has(generator)) return row;
  throw new Error(
    `the row "${id}" is loaded by ${generator}, which cannot hold a fixed rate: latency is compared in rows of ${[...BY_CLOCK].join(", ")} alone`,
  );
}

/** `run --latency`: of every row that was selected. @throws InputError where one cannot */
export function withLatency(sets: readonly PlannedSet[], option = COMMAND_LINE.latency): readonly PlannedSet[] {
  return sets.map((set) => ({ ...set, rows: set.rows.map((row) => asked(row, option)) }));
}

function asked(row: PlannedRow, option: string): PlannedRow {
  try {
    return checkLatency({ ...row, latency: true });
  } catch (error) {
    throw new InputError(`${option}: ${messageOf(error)}; select others`);
  }
}

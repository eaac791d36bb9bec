/** Witnesses of head alone: figures without verdicts. */
import { WitnessSubject } from "../../measure/witness-subject.js";
import { type AskedMetrics, witnessesOf } from "../../plan/asked-metrics.js";
import type { PlannedRow } from "../../plan/types.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import type { WitnessedRow } from "../../results/schema.js";
import { measureRounds, roundsOf, type WitnessRunning } from "./witness-rounds.js";

/** Processes of a row without a base: a second one shows how much they differ. */
const ROUNDS_ALONE = 2;

export interface ReadyRow {
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}

interface Measuring {
  readonly running: WitnessRunning;
  /** Replaces earlier figures of these rows. */
  put(figures: readonly WitnessedRow[]): Promise<void>;
}

/** @throws the run's abort reason */
export async function measureHeadWitnesses(
  rows: readonly ReadyRow[],
  asked: AskedMetrics,
  { running, put }: Measuring,
): Promise<void> {
  if (rows.length === 0) return;
  const subjects = rows.map((head) => new WitnessSubject({ head }, head.row.connections[0] ?? 1));
  const between = async () => {
    const figures = subjects.map((subject) => {
      const { id, title } = subject.sides.head.row;
      return { id, title, ...subject.witnesses() };
    });
    await put(figures.filter((row) => "instructions" in row || "memory" in row));
  };
  for (const kind of witnessesOf(asked)) {
    const open = () => subjects.filter((subject) => roundsOf(subject, kind) < ROUNDS_ALONE);
    await measureRounds({ kind, subjects, open, limitSec: undefined, between }, running);
    await between();
  }
}

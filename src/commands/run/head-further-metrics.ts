/** FurtherMetrics of head alone: figures without verdicts. */
import { FurtherSubject } from "../../measure/further-subject.js";
import { furtherMetricsOf, type SelectedMetrics } from "../../plan/selected-metrics.js";
import type { PlannedRow } from "../../plan/types.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import type { FurtherRow } from "../../results/schema.js";
import { type FurtherRunning, measureRounds, roundsOf } from "./further-rounds.js";

/** Processes of a row without a base: a second one shows how much they differ. */
const ROUNDS_ALONE = 2;

export interface ReadyRow {
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}

interface Measuring {
  readonly running: FurtherRunning;
  /** Replaces earlier figures of these rows. */
  put(figures: readonly FurtherRow[]): Promise<void>;
}

/** @throws the run's abort reason */
export async function measureHeadFurtherMetrics(
  rows: readonly ReadyRow[],
  asked: SelectedMetrics,
  { running, put }: Measuring,
): Promise<void> {
  if (rows.length === 0) return;
  const subjects = rows.map((head) => new FurtherSubject({ head }, head.row.connections[0] ?? 1));
  const between = async () => {
    const figures = subjects.map((subject) => {
      const { id, title } = subject.sides.head.row;
      return { id, title, ...subject.furtherMetrics() };
    });
    await put(figures.filter((row) => "instructions" in row || "memory" in row));
  };
  for (const kind of furtherMetricsOf(asked)) {
    const open = () => subjects.filter((subject) => roundsOf(subject, kind) < ROUNDS_ALONE);
    await measureRounds({ kind, subjects, open, limitSec: undefined, between }, running);
    await between();
  }
}

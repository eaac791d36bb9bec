/** Rounds of many rows, several at a time: which row gets the next one, and what a budget has room for. */

import { allEnded } from "../../all-ended.js";

export interface RoundSchedule<Row> {
  readonly subjects: readonly Row[];
  /** Rounds at a time. */
  readonly slots: number;
  /** A row with fewer rounds gets no verdict. */
  readonly firstRounds: number;
  /** Seconds of a round, until the first one is measured. */
  readonly expectedSec: number;
  /** Seconds from now on; undefined: no limit. */
  readonly limitSec: number | undefined;
  /** Seconds of a clock that never goes back. */
  now(): number;
  roundsOf(row: Row): number;
  /** The rows of which another round is wanted. */
  open(): ReadonlySet<Row>;
  /** One round. */
  measure(row: Row): Promise<void>;
  /** After each round. */
  between(): Promise<void>;
}

export interface ScheduleEnd<Row> {
  /** Rows that the limit had no room for. */
  readonly unbegun: readonly Row[];
  /** About so many seconds are enough for the first rounds of all rows. */
  readonly enoughSec: number;
}

/**
 * The first rounds of a row are finished before the next row begins, so that whatever ends the run leaves few rows half done. What
 * is left then goes to open rows, those with the fewest rounds first.
 * @throws what a round throws, when those that run have ended; none is begun after it
 */
export async function measureInSlots<Row>(schedule: RoundSchedule<Row>): Promise<ScheduleEnd<Row>> {
  const { subjects, slots, firstRounds, now, measure, between } = schedule;
  const progress: Progress<Row> = { busy: new Set(), begun: new Set(), startedSec: now(), rounds: 0, roundsSec: 0 };
  let broken = false;
  const slot = async (): Promise<void> => {
    while (!broken) {
      const row = nextRow(schedule, progress);
      if (row === undefined) return;
      progress.busy.add(row);
      progress.begun.add(row);
      const started = now();
      try {
        await measure(row);
      } catch (error) {
        broken = true;
        throw error;
      } finally {
        progress.busy.delete(row);
      }
      progress.rounds += 1;
      progress.roundsSec += now() - started;
      await between();
    }
  };
  await allEnded(Array.from({ length: slots }, slot));
  const open = schedule.open();
  return {
    unbegun: subjects.filter((row) => !progress.begun.has(row) && open.has(row)),
    enoughSec: Math.ceil(subjects.length / slots) * firstRounds * roundSec(schedule, progress),
  };
}

interface Progress<Row> {
  readonly busy: Set<Row>;
  readonly begun: Set<Row>;
  readonly startedSec: number;
  rounds: number;
  roundsSec: number;
}

function roundSec<Row>({ expectedSec }: RoundSchedule<Row>, { rounds, roundsSec }: Progress<Row>): number {
  return rounds === 0 ? expectedSec : roundsSec / rounds;
}

function nextRow<Row>(schedule: RoundSchedule<Row>, progress: Progress<Row>): Row | undefined {
  const { subjects, firstRounds, roundsOf, now, limitSec } = schedule;
  const { begun, busy, startedSec } = progress;
  const wanted = schedule.open();
  const open = subjects.filter((row) => !busy.has(row) && wanted.has(row));
  const leftSec = limitSec === undefined ? Number.POSITIVE_INFINITY : startedSec + limitSec - now();
  const fits = (rounds: number) => rounds * roundSec(schedule, progress) <= leftSec;

  if (!fits(1)) return undefined;
  const halfDone = open.find((row) => begun.has(row) && roundsOf(row) < firstRounds);
  if (halfDone !== undefined) return halfDone;
  const unbegun = open.find((row) => !begun.has(row));
  if (unbegun !== undefined && fits(firstRounds)) return unbegun;
  return open
    .filter((row) => begun.has(row))
    .reduce<Row | undefined>(
      (fewest, row) => (fewest === undefined || roundsOf(row) < roundsOf(fewest) ? row : fewest),
      undefined,
    );
}

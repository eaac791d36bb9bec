/** One row of a paired run: its pairs so far, as cases and notes. */
import type { Noise } from "../../compare/earlier-noise.js";
import { failureNotes, totalOf } from "../../compare/failures.js";
import { pairKey, type RowPair } from "../../compare/sides.js";
import type { FurtherSubject } from "../../measure/further-subject.js";
import type { CpuSplit } from "../../measure/machine/cpus.js";
import type { MeasuredSlice } from "../../measure/pairs/pair.js";
import { type PairedCase, pairedCase } from "../../measure/pairs/pair-case.js";
import type { PairSides } from "../../measure/pairs/pair-servers.js";
import type { Failure } from "../../measure/pairs/schedule.js";
import type { LearnedAnswers } from "../../measure/server/learned.js";
import type { Side } from "../../plan/types.js";
import { packageNotes } from "../../provision/environments/package-notes.js";
import { answerDifferences, answerNotes } from "../../results/answer-notes.js";
import type { Pair } from "../../results/comparison.js";
import type { CaseResult } from "../../results/schema.js";

export interface PairedRowState {
  readonly pair: RowPair;
  readonly sides: PairSides;
  /** Of what is random about its pairs. */
  readonly seed: number;
  readonly expectedNoise: Noise;
  readonly pairs: Pair[];
  readonly slices: MeasuredSlice[];
  readonly learned: Readonly<Record<Side, LearnedAnswers>>;
  readonly subject: FurtherSubject;
  wallSec: number;
  failure: Failure | undefined;
  decided: boolean;
}

export function keyOf({ pair: { head, connections } }: PairedRowState): string {
  return pairKey({ id: head.id, connections });
}

export function asCase(state: PairedRowState): PairedCase {
  const { sides, slices, wallSec, pair } = state;
  return { sides, slices, wallSec, connections: pair.connections };
}

export function casesOf(state: PairedRowState, cpus: CpuSplit): CaseResult[] {
  const paired = asCase(state);
  const { failure } = state;
  // Where base failed, head keeps the figures of earlier pairs, or is measured alone afterwards.
  const sides = failure?.side === "base" ? (["base"] as const) : (["base", "head"] as const);
  return sides.flatMap((side) => pairedCase(paired, side, cpus, failure));
}

function notesOnFailures({ slices }: PairedRowState): string[] {
  const answered = (side: Side) =>
    totalOf(
      slices.flatMap(({ paired, slice: { requests, failures } }) =>
        paired.side === side ? [{ requests, failed: failures.total }] : [],
      ),
    );
  return failureNotes(answered("base"), answered("head"));
}

function notesOnAnswers({ slices, subject, pair: { head } }: PairedRowState): string[] {
  const last = (side: Side) =>
    slices.findLast(({ paired }) => paired.side === side)?.answers ?? subject.answers[side] ?? [];
  const [ofBase, ofHead] = [last("base"), last("head")];
  const atRate =
    head.ratePerSec === undefined
      ? []
      : [
          `requests came at a fixed rate of ${head.ratePerSec} per second: throughput shows only whether a side keeps up`,
        ];
  return [
    ...atRate,
    ...answerDifferences(ofBase, ofHead),
    ...new Set([...answerNotes(ofBase), ...answerNotes(ofHead)]),
  ];
}

export function notesOf(state: PairedRowState): string[] {
  return [...notesOnFailures(state), ...packageNotes(state.sides.base, state.sides.head), ...notesOnAnswers(state)];
}

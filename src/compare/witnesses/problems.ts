/** What kept the witnesses of a row from being measured, or from being measured further. */
import type { Witnesses, WitnessProblem } from "../../results/witnesses.js";

type Witness = Witnesses["instructions"] | Witnesses["memory"];
type Kind = keyof Witnesses;

/** Undefined where nothing went wrong. */
export function problemOf(witness: Witness): WitnessProblem | undefined {
  return witness?.state === "not-measured" ? witness : witness?.stopped;
}

/** No further round will follow. */
export function isStopped(witness: Witness): boolean {
  return problemOf(witness) !== undefined;
}

/** A side that ended or gave wrong answers while it was counted or sampled. */
export interface FailedWitness {
  readonly kind: Kind;
  readonly side: "base" | "head";
  readonly reason: string;
}

export function failedWitnesses({ instructions, memory }: Witnesses): FailedWitness[] {
  return (
    [
      ["instructions", instructions],
      ["memory", memory],
    ] as const
  ).flatMap(([kind, witness]) => {
    const { failedIn: side, reason = "" } = problemOf(witness) ?? {};
    return side === undefined ? [] : [{ kind, side, reason }];
  });
}

/** For a reader: a sentence for each witness that has a problem. */
export function problemNotes({ instructions, memory }: Witnesses): string[] {
  return [
    ...(instructions?.state === "not-measured" ? [`instructions: not counted: ${instructions.reason}`] : []),
    ...(instructions?.state === "measured" && instructions.stopped
      ? [`instructions: round ${instructions.rounds.length + 1} could not be counted: ${instructions.stopped.reason}`]
      : []),
    ...(memory?.state === "not-measured" ? [`memory: not sampled: ${memory.reason}`] : []),
    ...(memory?.state === "measured" && memory.stopped
      ? [`memory: process ${memory.pairs.length + 1} could not be sampled: ${memory.stopped.reason}`]
      : []),
  ];
}

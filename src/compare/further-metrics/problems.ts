/** What kept the further metrics of a row from being measured, or from being measured further. */
import type { FurtherMetrics, FurtherProblem } from "../../results/further-metrics.js";

type Measurement = FurtherMetrics["instructions"] | FurtherMetrics["memory"];
type Kind = keyof FurtherMetrics;

/** Undefined where nothing went wrong. */
export function problemOf(measurement: Measurement): FurtherProblem | undefined {
  return measurement?.state === "not-measured" ? measurement : measurement?.stopped;
}

/** No further round will follow. */
export function isStopped(measurement: Measurement): boolean {
  return problemOf(measurement) !== undefined;
}

/** A side that ended or gave wrong answers while it was counted or sampled. */
export interface FailedMeasurement {
  readonly kind: Kind;
  readonly side: "base" | "head";
  readonly reason: string;
}

export function failedMeasurements({ instructions, memory }: FurtherMetrics): FailedMeasurement[] {
  return (
    [
      ["instructions", instructions],
      ["memory", memory],
    ] as const
  ).flatMap(([kind, measurement]) => {
    const { failedIn: side, reason = "" } = problemOf(measurement) ?? {};
    return side === undefined ? [] : [{ kind, side, reason }];
  });
}

/** For a reader: a sentence for each further metric that has a problem. */
export function problemNotes({ instructions, memory }: FurtherMetrics): string[] {
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

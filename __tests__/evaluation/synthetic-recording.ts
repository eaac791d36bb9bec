/** A small recording with known noise, bias and plants: two servers, two neighbours. */
import { seeded } from "../../evaluation/random.js";
import { NO_NEIGHBOUR, type RecordedRow, type Recording } from "../../evaluation/recording/recording.js";
import { counted } from "../support/counted.js";
import { MEASURED_NOISE, noisyPair } from "../support/pairs.js";

export interface SyntheticOptions {
  /** Of every row. */
  readonly pairs: number;
  /** Logarithm of head's cost over base's in rows without a plant. */
  readonly bias: number;
  /** Rounds of counted instructions of every row; default: none. Plants add twice as many instructions as time. */
  readonly rounds?: number;
}

export function syntheticRecording({ pairs, bias, rounds = 0 }: SyntheticOptions = { pairs: 4, bias: 0 }): Recording {
  const random = seeded(5);
  const rows = ["granian-rsgi", "uvicorn"].flatMap((server) =>
    [NO_NEIGHBOUR, { share: 0.25, cpus: [0, 1] }].flatMap((neighbour) =>
      ["none", "cpu:3"].map((plant): RecordedRow => {
        const cost = plant === "none" ? bias : Math.log1p(0.03) + bias;
        const noise = neighbour.share === 0 ? MEASURED_NOISE : { ...MEASURED_NOISE, outliers: 0.2 };
        return {
          server,
          plant,
          turns: plant === "none" ? 0 : 300,
          builds: { base: "0", head: "1" },
          neighbour,
          pairs: Array.from({ length: pairs }, (_, i) => noisyPair(random, noise, cost, i)),
          ...(rounds > 0 && { counts: countsOf(rounds, plant === "none" ? 0 : 0.06) }),
        };
      }),
    ),
  );
  return {
    environment: { cpuModel: "Test", cpus: 2, kernel: "6.8", python: "3.11.2" },
    recordedAt: "2025-01-30T02:28:11Z",
    seed: 7,
    notes: ["uvicorn: installed twice from the index"],
    rows,
  };
}

function countsOf(rounds: number, more: number): RecordedRow["counts"] {
  const { instructions } = counted(rounds, more);
  return instructions?.state === "measured" ? instructions : undefined;
}

/** Counted instructions of a row: made up with a known size, or drawn from rounds that were recorded. */
import type { FurtherMetrics, InstructionRound } from "../../src/results/further-metrics.js";

const WINDOWS = [100_000, 100_100, 99_950, 100_050];

/** Rounds whose processes differ as real ones do. @param more of head's instructions, relative */
export function counted(rounds: number, more: number): FurtherMetrics {
  return countedRounds(
    Array.from({ length: rounds }, (_, i) => {
      // Processes differ by some tenths of a per mille.
      const process = 1 + 0.0004 * (i % 3);
      return {
        hashSeed: i + 1,
        seconds: 8,
        base: WINDOWS.map((one) => one * process),
        head: WINDOWS.map((one) => one * (1 + more)),
      };
    }),
  );
}

export function countedRounds(rounds: readonly InstructionRound[]): FurtherMetrics {
  return {
    instructions: {
      ...{ state: "measured", source: "callgrind", version: "3.19.0", connections: 1, requests: 500 },
      rounds: [...rounds],
    },
  };
}

export function instructionsOf({ instructions }: FurtherMetrics): readonly InstructionRound[] {
  return instructions?.state === "measured" ? instructions.rounds : [];
}

interface Sides {
  readonly base: readonly number[];
  readonly head: readonly number[];
}

/** One of the recorded rounds, with its sides in either order. */
export function drawnRound(random: () => number, recorded: readonly Sides[]): InstructionRound {
  const drawn = recorded[Math.floor(random() * recorded.length)];
  if (!drawn) throw new Error("no rounds are recorded");
  const { base, head } = random() < 0.5 ? drawn : { base: drawn.head, head: drawn.base };
  return { hashSeed: 1, seconds: 8, base: [...base], head: [...head] };
}

/** Counted instructions of a row, made up with a known size. */
import type { Witnesses } from "../../src/results/witnesses.js";

const WINDOWS = [100_000, 100_100, 99_950, 100_050];

/** Rounds whose processes differ as real ones do. @param more of head's instructions, relative */
export function counted(rounds: number, more: number): Witnesses {
  return {
    instructions: {
      state: "measured",
      source: "callgrind",
      version: "3.19.0",
      connections: 1,
      requests: 500,
      rounds: Array.from({ length: rounds }, (_, i) => {
        // Processes differ by some tenths of a per mille.
        const process = 1 + 0.0004 * (i % 3);
        return {
          hashSeed: i + 1,
          seconds: 8,
          base: WINDOWS.map((one) => one * process),
          head: WINDOWS.map((one) => one * (1 + more)),
        };
      }),
    },
  };
}

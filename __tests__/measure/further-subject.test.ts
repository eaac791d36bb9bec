/** What a row's further metrics come to when a later round fails. */
import { expect, it } from "vitest";
import { FurtherSubject } from "../../src/measure/further-subject.js";
import type { MemorySide } from "../../src/results/further-metrics.js";

function subject(): FurtherSubject {
  const sides = { head: {} } as unknown as FurtherSubject["sides"];
  return new FurtherSubject(sides, 16);
}

const ROUND = { hashSeed: 1, seconds: 9, head: [1000, 1001, 1002, 1003] };
const SIDE: MemorySide = { source: "pss", peakMiB: 20, samplesMiB: [19, 20] };
const PROBLEM = { reason: "the server ended under load (exit code 1)", failedIn: "head" } as const;

it("keeps the rounds and pairs that were measured before one that failed", () => {
  const one = subject();
  one.windowSize.requests = 500;
  one.chunkSize.requests = 100;
  one.rounds.push(ROUND);
  one.pairs.push({ seconds: 9, head: SIDE });
  one.problems.instructions = PROBLEM;
  one.problems.memory = PROBLEM;
  expect(one.furtherMetrics()).toMatchObject({
    instructions: { state: "measured", rounds: [ROUND], stopped: PROBLEM },
    memory: { state: "measured", pairs: [{ head: SIDE }], stopped: PROBLEM },
  });
});

it("says why nothing was measured", () => {
  const one = subject();
  one.problems.instructions = { reason: "there is no Valgrind" };
  expect(one.furtherMetrics()).toEqual({ instructions: { state: "not-measured", reason: "there is no Valgrind" } });
});

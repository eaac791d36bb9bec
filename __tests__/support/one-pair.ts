/** One pair of servers that go wrong as asked. */
import { type PairContext, PairSeries } from "../../src/measure/pairs/pair.js";
import type { PairSides } from "../../src/measure/pairs/pair-servers.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { faultyRow, plainPython, testContext } from "./measure.js";
import type { TestRun } from "./run.js";

const CHANCE = { first: "base", hashSeed: 1, padBytes: 0, stackBytes: 128 * 1024 * 1024 } as const;

/** @param base and head: modes of servers/faulty.py */
export function sidesOf(base: string, head: string, change: Partial<PlannedRow>): PairSides {
  const side = (mode: string) => ({ row: faultyRow(mode, change), ready: plainPython() });
  return { base: side(base), head: side(head) };
}

export async function measurePair(
  run: TestRun,
  sides: PairSides,
  onPhase: (phase: string) => void = () => {},
  latency?: NonNullable<PairContext["latency"]>,
) {
  const context = { ...testContext(run), connections: 8, onPhase, onLoad: () => {}, ...(latency && { latency }) };
  await using series = new PairSeries();
  return { outcome: await series.measure(sides, CHANCE, context), cpus: context.cpus };
}

/** Sends the requests of one counted window. */
import type { Generator, Load, Measured, SliceOutcome } from "../generators/contract.js";
import { toFailures } from "../generators/oha-output.js";

/**
 * Of a row with several requests, each is sent as often as its weight says, one kind after the other: oha would draw them at random, and
 * no two windows would be alike.
 * @param requests of all kinds together; every kind gets at least one @throws the run's abort reason
 */
export async function loadWindow(generator: Generator, load: Load, requests: number): Promise<SliceOutcome> {
  const { answers } = load;
  if (answers.length === 1) return await generator.run({ ...load, requests }, () => {});
  const weights = answers.reduce((sum, { weight }) => sum + weight, 0);
  const measured: Measured[] = [];
  for (const answer of answers) {
    const own = Math.max(1, Math.round((requests * answer.weight) / weights));
    const request = { ...load.request, path: answer.path };
    const outcome = await generator.run({ ...load, request, answers: [answer], requests: own }, () => {});
    if (outcome.state === "failed") return outcome;
    measured.push(outcome);
  }
  return together(measured);
}

function together(measured: readonly Measured[]): Measured {
  const sum = (of: (one: Measured) => number) => measured.reduce((total, one) => total + of(one), 0);
  return {
    state: "measured",
    seconds: sum(({ seconds }) => seconds),
    requests: sum(({ requests }) => requests),
    failures: toFailures(measured.flatMap(({ failures }) => Object.entries(failures.byKind))),
    latencyMs: undefined,
    clientCpuSec: sum(({ clientCpuSec }) => clientCpuSec),
    programCpuSec: sum(({ programCpuSec }) => programCpuSec),
    exact: measured.every(({ exact }) => exact),
  };
}

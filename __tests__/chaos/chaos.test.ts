/**
 * Breaks the real tool at seeded random moments. The suite does a few trials; `npm run chaos -- --runs N --seed S --only
 * FAULT` does more. What is broken, and what must hold, is in faults/ and trial.ts.
 */
import { appendFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { FAULTS, LEFT_OUT } from "./faults.js";
import { runTrial, type Trial, type Verdict } from "./trial.js";
import { trialsOf } from "./trials.js";
import { World } from "./world.js";

const RUNS = Number(process.env.CHAOS_RUNS ?? 6);
/** The first faults of this seed are of every group, and none needs root. */
const SUITE_SEED = 15;
const SEED = Number(process.env.CHAOS_SEED ?? SUITE_SEED);
const ONLY = process.env.CHAOS_ONLY ?? "";
/** A line of JSON for each trial, for whoever counts them. */
const LOG = process.env.CHAOS_LOG;
const TIMEOUT_MS = 400_000;

beforeAll(async () => {
  for (const one of LEFT_OUT) process.stderr.write(`left out on this machine: ${one}\n`);
  await using world = await World.open("run");
  const { code, output } = await world.start().ended;
  if (code !== 0) throw new Error(`without a fault: ${output}`);
}, TIMEOUT_MS);

const chosen = FAULTS.filter(({ name }) => name.includes(ONLY));
const all = trialsOf(chosen, SEED, RUNS).map(
  (trial, index) => [index + 1, trial.fault.name, trial.kind, trial] as const,
);

test.each(all)("%i: %s (%s)", { timeout: TIMEOUT_MS }, async (_, _fault, _kind, trial) => {
  const verdict = await runTrial(trial, (notStruck) => log(trial, notStruck));
  log(trial, verdict);
  const { problems, ended, struckAtMs } = verdict;
  const where = `seed ${trial.seed}, struck after ${struckAtMs} ms: ${problems.join("; ")}`;
  expect(problems, `${where}\n${ended.output.slice(-3000)}`).toEqual([]);
});

function log({ fault, kind, seed }: Trial, { problems, ended, struckAtMs, rowsLost }: Verdict): void {
  if (LOG === undefined) return;
  const { code, seconds, output } = ended;
  const line = { fault: fault.name, kind, seed, code, seconds, struck: struckAtMs !== undefined, rowsLost, problems };
  const shown = problems.length > 0 ? { ...line, struckAtMs, output: output.slice(-3000) } : line;
  appendFileSync(LOG, `${JSON.stringify(shown)}\n`);
}

/**
 * Whole runs of `--metrics instructions` between two environments that were installed separately, beside load on all CPUs: how
 * often verdicts on the work of a request are right. `worse` and `better` are false in a row without a plant.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../../src/errors.js";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";
import { MachineLock } from "../../src/machine-lock/machine-lock.js";
import { readTopology } from "../../src/measure/machine/cpus.js";
import { readResults } from "../../src/results/read.js";
import { takeMachine } from "../machine.js";
import { startNeighbour } from "../record/neighbour-process.js";
import { wholeRun } from "../whole-run.js";
import { plantsFor, writeSide } from "./apps.js";
import { chapter } from "./chapter.js";
import { type InstructionsFile, readInstructionsFile } from "./judged-row.js";
import { judgedRows } from "./judged-rows.js";
import { checkSameMachine, thisMachine } from "./machine.js";

export interface InstructionsOptions {
  readonly root: string;
  readonly runs: number;
  /** Share of the time for which the neighbour is busy, on every CPU. */
  readonly neighbour: number;
  /** Per cent: runs look for such changes, by time too. Undefined: they only count. */
  readonly detect: number | undefined;
  readonly seed: number;
  readonly out: string;
  readonly say: (line: string) => void;
}

/** A neighbour that is left behind ends by itself. */
const RUN_MAX_SEC = 1800;

/** Writes FILE.json after every run, and the chapter beside it. A file that is there gets further runs. */
export async function evaluateInstructions(options: InstructionsOptions): Promise<void> {
  const { runs, neighbour, detect, out, say } = options;
  const before = await readInstructionsFile(out);
  if (before && before.neighbour !== neighbour)
    throw new InputError(
      `${out} has runs with --neighbours ${before.neighbour * 100}: take another file for ${neighbour * 100}`,
    );
  if (before && before.detect !== detect)
    throw new InputError(
      `${out} has runs ${before.detect === undefined ? "without --detect" : `with --detect ${before.detect}`}: take another file`,
    );
  const here = await thisMachine();
  if (before) checkSameMachine(out, before, here);
  const startedAt = before?.startedAt ?? new Date().toISOString();
  const folder = await mkdtemp(join(tmpdir(), "server-bench-work-"));
  const cpus = readTopology().cores.flat();
  const context = { id: randomUUID(), tempDir: folder, signal: new AbortController().signal };
  let file: InstructionsFile | undefined = before;
  try {
    for (const side of ["base", "head"] as const) await writeSide(join(folder, side), side, plantsFor(detect));
    for (let i = 1; i <= runs; i += 1) {
      const run = (file?.runs ?? 0) + 1;
      const seed = options.seed + run;
      await using machine = MachineLock.open(process.env);
      await takeMachine(machine, context, `evaluate instructions: run ${i} of ${runs}`, say);
      await using _ = await startNeighbour({ root: options.root, share: neighbour, cpus, seed, maxSec: RUN_MAX_SEC });
      const { rows, notCounted, measuredSec } = await oneRun(folder, run, options);
      file = {
        startedAt,
        ...here,
        neighbour,
        ...(detect !== undefined && { detect }),
        runs: run,
        measuredSec: (file?.measuredSec ?? 0) + measuredSec,
        ...(file?.notes && { notes: file.notes }),
        rows: [...(file?.rows ?? []), ...rows],
        notCounted: [...(file?.notCounted ?? []), ...notCounted],
      };
      await writeFile(out, `${JSON.stringify(file, null, 2)}\n`);
      await writeFile(`${out.replace(/\.json$/, "")}.md`, chapter(file));
      say(`${i} of ${runs} runs: ${measuredSec.toFixed(0)} s`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function oneRun(folder: string, run: number, { root, detect }: InstructionsOptions) {
  const out = join(folder, "out");
  await rm(out, { recursive: true, force: true });
  const asked =
    detect === undefined ? ["--metrics", "instructions"] : ["--detect", String(detect), "--profile-rows", "none"];
  const args = ["run", "work", "--scenarios", "bench", "--base", "../base", ...asked, "--out", out];
  const cwd = join(folder, "head");
  // This process holds the machine's lock already: the neighbour must not disturb another run.
  const env = { ...process.env, [LOCK_VARIABLE]: join(folder, "machine.lock") };
  await wholeRun([join(root, "dist/cli.js"), ...args], { cwd, env });
  const results = await readResults(join(out, "results.json"));
  return { ...judgedRows(run, results.comparison, detect), measuredSec: results.run.measuredSec };
}

/** Runs of many days: rows with known noise, levels that change at known runs, and machines that change. */
import { historyOf } from "../../src/history/model.js";
import { Recorder, type RunRecord } from "../../src/history/record.js";
import type { CaseResult, Environment, Results } from "../../src/results/schema.js";
import { seeded } from "./noise.js";
import { completed, interfacesSet, resultsOf, sampleResults, serverNamed } from "./results.js";

interface Days {
  readonly runs: number;
  readonly rows: number;
  /** Logarithm of a row's speed in a run, beside its noise; default: none changes. */
  readonly speed?: (row: number, run: number) => number;
  readonly environment?: (run: number) => Partial<Environment>;
  readonly run?: (run: number) => Partial<Results["run"]>;
  readonly change?: (result: CaseResult, row: number, run: number) => CaseResult;
  /** Relative standard deviation, about. */
  readonly noise?: number;
}

const SERVERS = ["granian", "uvicorn", "hypercorn"] as const;
const SETS = 4;

export function shaOf(run: number): string {
  return (run + 1).toString(16).padStart(40, "0");
}

const setOf = (index: number) => ({ ...interfacesSet, name: `set-${index + 1}`, title: `Set ${index + 1}` });

/** The results of each run, oldest first. */
export function* days({ runs, rows, speed = () => 0, noise = 0.01, ...options }: Days): Generator<Results> {
  const random = seeded(7);
  const sample = sampleResults();
  const sets = [...Array(Math.min(SETS, rows)).keys()].map(setOf);
  for (let run = 0; run < runs; run += 1) {
    const cases = Array.from({ length: rows }, (_, row) => {
      const faster = speed(row, run) + noise * 2 * (random() + random() + random() - 1.5);
      const name = SERVERS[row % SERVERS.length] ?? "granian";
      const server = serverNamed(name, { interface: row % 2 ? "asgi" : "rsgi" });
      const perSec = 20_000 * (1 + row / 50) * Math.exp(faster);
      const cpuPerRequestUs = (1e6 / 20_000 / (1 + row / 50)) * Math.exp(-faster + noise * (random() - 0.5));
      const result = completed(`set-${(row % SETS) + 1}/row-${row}`, `Row ${row} of a scenario`, 64, perSec, {
        server,
        summary: { cpuPerRequestUs },
      });
      return options.change?.(result, row, run) ?? result;
    });
    const startedAt = new Date(Date.UTC(2024, 0, 1 + run, 2)).toISOString();
    const of = {
      id: `run-${run}`,
      startedAt,
      finishedAt: startedAt,
      warnings: [],
      git: { sha: shaOf(run), ref: "main" },
    };
    yield resultsOf(cases, {
      sets,
      run: { ...sample.run, ...of, ...options.run?.(run) },
      environment: { ...sample.environment, ...options.environment?.(run) },
    });
  }
}

/** The same row, which failed instead. */
export function failedCase(result: CaseResult): CaseResult {
  if (result.state !== "completed") return result;
  const { summary: _, slices: __, wallSec: ___, ...fields } = result;
  return { ...fields, state: "failed", reason: "it ended" };
}

export function records(all: Iterable<Results>): RunRecord[] {
  const recorder = new Recorder();
  return [...all].map((results, i) => recorder.record(`results/${i}.json`, results));
}

export function historyOfDays(options: Days) {
  return historyOf(records(days(options)));
}

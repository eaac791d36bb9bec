/** The real benchstat on drawn pairs: does the rule that peers.ts scores as "benchstat" decide as the program does? */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { METRICS } from "../src/compare/metrics.js";
import type { Pair } from "../src/results/comparison.js";
import { mannWhitney, rowFigures } from "./peers.js";

const run = promisify(execFile);
/** benchstat's default. */
const LEVEL = 0.05;

export interface Agreement {
  readonly tests: number;
  /** Tests that only one of the two calls significant at 5 %. */
  readonly otherwiseDecided: number;
  /** Between the program's p-values, printed to three digits, and ours. */
  readonly largestDifference: number;
}

/**
 * @param reports the pairs of each row
 * @returns undefined without a benchstat: `go install golang.org/x/perf/cmd/benchstat@latest`
 */
export async function compareWithBenchstat(
  reports: readonly (readonly (readonly Pair[])[])[],
): Promise<Agreement | undefined> {
  const program = await findBenchstat();
  if (program === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "server-bench-benchstat-"));
  try {
    let [tests, otherwiseDecided, largestDifference] = [0, 0, 0];
    for (const rows of reports) {
      const theirs = await pValues(program, folder, rows);
      for (const [key, p] of ourPValues(rows)) {
        const other = theirs.get(key);
        if (other === undefined) throw new Error(`benchstat says nothing of ${key}`);
        tests += 1;
        if (p <= LEVEL !== other <= LEVEL) otherwiseDecided += 1;
        largestDifference = Math.max(largestDifference, Math.abs(p - other));
      }
    }
    return { tests, otherwiseDecided, largestDifference };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findBenchstat(): Promise<string | undefined> {
  const gopath = await run("go", ["env", "GOPATH"]).then(
    ({ stdout }) => join(stdout.trim(), "bin/benchstat"),
    () => "",
  );
  for (const program of ["benchstat", gopath].filter(Boolean)) {
    // Without files it prints its usage and fails.
    const failure = await run(program, ["-h"]).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (failure !== "ENOENT") return program;
  }
  return undefined;
}

function ourPValues(rows: readonly (readonly Pair[])[]): Map<string, number> {
  return new Map(
    rows.flatMap((pairs, i) =>
      METRICS.map((metric): [string, number] => {
        const figures = rowFigures(pairs, metric);
        const [base, head] = [figures.map((one) => one.base), figures.map((one) => one.head)];
        return [`Row${i} ${metric.name}`, mannWhitney(base, head)];
      }),
    ),
  );
}

async function pValues(
  program: string,
  folder: string,
  rows: readonly (readonly Pair[])[],
): Promise<Map<string, number>> {
  const files = { base: join(folder, "base.txt"), head: join(folder, "head.txt") };
  for (const side of ["base", "head"] as const) {
    const lines = rows.flatMap((pairs, i) =>
      METRICS.flatMap((metric) =>
        rowFigures(pairs, metric).map((figures) => `BenchmarkRow${i} 1 ${Math.exp(figures[side])} ${metric.name}`),
      ),
    );
    await writeFile(files[side], `${lines.join("\n")}\n`);
  }
  const { stdout } = await run(program, ["-format", "csv", files.base, files.head]);
  return readCsv(stdout);
}

/** One table per unit: a line with the unit, then one per benchmark that ends in `p=0.123 n=13`. */
function readCsv(csv: string): Map<string, number> {
  const found = new Map<string, number>();
  let unit = "";
  for (const line of csv.split("\n")) {
    const cells = line.split(",");
    const header = METRICS.find(({ name }) => cells[0] === "" && cells[1] === name);
    if (header) unit = header.name;
    const p = /p=([0-9.]+) n=/.exec(line)?.[1];
    if (p !== undefined && cells[0]?.startsWith("Row"))
      found.set(`${cells[0].replace(/-\d+$/, "")} ${unit}`, Number(p));
  }
  return found;
}

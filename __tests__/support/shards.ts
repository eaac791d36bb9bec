/** Results of shards for tests: rows that were measured in pairs, with known noise. */
import { judgePaired, type PairedRow } from "../../src/compare/paired.js";
import { comparePaired } from "../../src/compare/paired-report.js";
import type { Pair } from "../../src/results/comparison.js";
import type { CaseResult, Results } from "../../src/results/schema.js";
import { seeded } from "./noise.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "./pairs.js";
import { completed, resultsOf } from "./results.js";

/** A row's pairs: the same id gives the same ones. @param cost of head's code, logarithm */
export function recordedRow(id: string, pairs: number, cost: number, change: Partial<PairedRow> = {}): PairedRow {
  const seed = [...id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7);
  const random = seeded(seed);
  const of: Pair[] = Array.from({ length: pairs }, (_, i) => noisyPair(random, MEASURED_NOISE, cost, i));
  return pairedRow(id, of, { ended: true, ...change });
}

/** Both sides' cases of a row. */
function casesOf({ id, title, connections, clientBound }: PairedRow): CaseResult[] {
  const head = completed(id, title, connections, 20_000, { summary: { clientBound } });
  const base = completed(id, title, connections, 20_000, { side: "base" });
  return [base, head];
}

/** What a run over these rows writes. */
export function pairedResults(rows: readonly PairedRow[], run: Partial<Results["run"]> = {}): Results {
  const results = resultsOf(rows.flatMap(casesOf));
  return { ...results, run: { ...results.run, warnings: [], ...run }, comparison: comparisonOf(rows) };
}

/** With `main`. */
export function comparisonOf(rows: readonly PairedRow[], change: Partial<Parameters<typeof comparePaired>[0]> = {}) {
  return comparePaired({
    ...{ base: { ref: "main", sha: "abc" }, controls: [], uncompared: [], command: ["server-bench", "run"] },
    rows: judgePaired(rows).map(({ compared }) => compared),
    ...change,
  });
}

export function pairedShard(index: number, of: number, ids: readonly string[]): Results {
  return pairedResults(
    ids.map((id) => recordedRow(id, 5, 0)),
    { id: `shard-${index}`, shard: { index, of } },
  );
}

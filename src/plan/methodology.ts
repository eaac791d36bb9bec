/** How the rows were run, in sentences that are made from the plan, so that the report cannot differ from the run. */
import { answerSentences, trafficSentences } from "./request-words.js";
import type { PlannedRow, PlannedSet, Profile } from "./types.js";

/** The sentences hold for all rows; what differs is in each row's command (in the report's evidence). */
export function methodology(
  { rows, connectionsColumn }: Pick<PlannedSet, "rows" | "connectionsColumn">,
  profile: Profile,
): string[] {
  const [first] = rows;
  if (!first) return [];
  const sentences: string[] = [];
  const common = Object.entries(first.knobs).filter(([name, value]) => rows.every((row) => row.knobs[name] === value));
  if (common.length > 0) {
    sentences.push(`All rows run with ${common.map(([name, value]) => `${name} ${value}`).join(", ")}.`);
  }
  const generators = [...new Set(rows.map(generatorWords))].join(", ");
  const windows = range(rows.map((row) => row.windowSec));
  sentences.push(
    `Each case is measured for ${windows} s with ${generators}, after a warm-up of up to ${profile.warmupMaxSec} s that ends when it is steady.`,
  );
  const sweeps = rows.some((row) => row.connections.length > 1);
  // With a column of concurrencies the table shows each of them.
  if (sweeps && connectionsColumn === undefined) {
    const all = [...new Set(rows.flatMap((row) => row.connections))].sort((a, b) => a - b);
    sentences.push(`Concurrencies: ${all.join(", ")}; the best one of each row is shown.`);
  }
  const streams = [...new Set(rows.filter((row) => row.http === 2).map((row) => row.streams))];
  if (streams.some((value) => value > 1)) {
    sentences.push(`HTTP/2 rows send ${streams.join(", ")} concurrent requests on each connection.`);
  }
  sentences.push(...trafficSentences(rows, profile), ...answerSentences(rows));
  if (rows.every((row) => row.generator === "websocket")) {
    sentences.push(`A broadcast that brings nothing for ${first.timeoutSec} s has failed.`);
    return sentences;
  }
  const slow = rows.filter((row) => row.timeoutSec !== first.timeoutSec).length;
  sentences.push(
    slow === 0
      ? `A request that takes longer than ${first.timeoutSec} s counts as failed.`
      : `A request that takes longer than ${range(rows.map((row) => row.timeoutSec))} s (by row) counts as failed.`,
  );
  return sentences;
}

function generatorWords({ generator, generatorThreads }: PlannedRow): string {
  return generatorThreads === undefined ? generator : `${generator} (threads: ${generatorThreads})`;
}

function range(values: readonly number[]): string {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return low === high ? String(low) : `${low} to ${high}`;
}

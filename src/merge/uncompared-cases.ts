/** Cases of parts that have no comparison, or none of whose rows could be compared: a merged comparison must name them. */
import type { UncomparedRow } from "../results/comparison.js";
import type { CaseResult } from "../results/schema.js";
import { shardName } from "../results/shard.js";
import type { Part } from "./parts.js";

export function uncomparedCases(parts: readonly Part[]): UncomparedRow[] {
  return parts.flatMap((part) => {
    const reason = whyUncompared(part);
    if (reason === undefined) return [];
    return part.results.cases
      .filter(({ side }) => side === "head")
      .map((result) => ({
        kind: "not-comparable",
        id: result.id,
        connections: result.connections,
        title: result.title,
        reason: reasonOf(result, reason),
      }));
  });
}

/** Undefined for a part with compared rows. */
function whyUncompared({ source, results: { run, comparison } }: Part): string | undefined {
  const name = run.shard ? `the shard ${shardName(run.shard)}` : source;
  if (!comparison)
    return run.finishedAt === null
      ? `${name} was ended before its benchmarks were compared`
      : [`${name} had nothing to compare with`, ...(run.nothingToCompare ? [run.nothingToCompare.reason] : [])].join(
          ": ",
        );
  if (!comparison.notComparable) return undefined;
  return `${name} could not be compared: ${comparison.notComparable.join("; ")}`;
}

function reasonOf(result: CaseResult, reason: string): string {
  return result.state === "completed" ? reason : `${result.state}: ${result.reason}; ${reason}`;
}

/** Which rows a recording has: servers, plants, neighbours and builds. Pure. */
import { type Neighbour, NO_NEIGHBOUR, NO_PLANT, type RecordedRow } from "../recording/recording.js";

export interface Wanted {
  readonly servers: readonly string[];
  /** Specs of plants, `none` for identical sides. */
  readonly plants: readonly string[];
  /** Shares of the time, 0 for none. */
  readonly neighbours: readonly number[];
  readonly neighbourCpus: readonly number[];
  /** At least two: the first row of each server has base of build 0 and head of build 1, the next one of builds 2 and 3. */
  readonly builds: readonly string[];
}

export type RowPlan = Omit<RecordedRow, "pairs" | "turns">;

/**
 * Plants and neighbours are recorded between the first two builds. All other builds are for identical sides in quiet:
 * they show what a build costs (sigma_build).
 */
export function rowPlans({ servers, plants, neighbours, neighbourCpus, builds }: Wanted): RowPlan[] {
  const pairs = buildPairs(builds);
  const [first, ...others] = pairs;
  if (!first) throw new Error("a recording needs two builds");
  const rows = (server: string): RowPlan[] => [
    ...neighbours.flatMap((share) =>
      plants.map((plant) => ({ server, plant, builds: first, neighbour: neighbourOf(share, neighbourCpus) })),
    ),
    ...others.map((pair) => ({ server, plant: NO_PLANT, builds: pair, neighbour: NO_NEIGHBOUR })),
  ];
  return servers.flatMap(rows);
}

/** No build is in two pairs, so the pairs are independent. */
function buildPairs(builds: readonly string[]): { readonly base: string; readonly head: string }[] {
  return builds.flatMap((base, i) => {
    const head = builds[i + 1];
    return i % 2 === 0 && head !== undefined ? [{ base, head }] : [];
  });
}

function neighbourOf(share: number, cpus: readonly number[]): Neighbour {
  return share === 0 ? NO_NEIGHBOUR : { share, cpus };
}

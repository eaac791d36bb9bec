import type { PlannedRow, WeightedRequest } from "./types.js";

/** All requests of a row, the first one in front. */
export function requestsOf({ request, mix }: Pick<PlannedRow, "request" | "mix">): readonly WeightedRequest[] {
  return mix ?? [{ request, weight: 1 }];
}

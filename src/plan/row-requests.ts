/** The requests of a row: one, or several that are drawn by weight. */
import { isDeepStrictEqual } from "node:util";
import type { Entry } from "./load.js";
import { checkSender, plannedRequest } from "./request.js";
import type { RequestEntry } from "./request-schema.js";
import type { GeneratorName, InterfaceName, PlannedRequest, PlannedRow, WeightedRequest } from "./types.js";

/** What a row, or the defaults of its set, say. */
interface Asked {
  readonly request?: string | undefined;
  readonly requests?: Readonly<Record<string, number>> | undefined;
}

interface Sender {
  readonly interfaceName: InterfaceName;
  readonly generator: GeneratorName;
}

/** What the row says comes before the set's defaults. @throws Error naming the request; the caller adds the place */
export function rowRequests(
  defaults: Asked,
  row: Asked,
  find: (name: string | undefined) => Entry<RequestEntry>,
  { interfaceName, generator }: Sender,
): Pick<PlannedRow, "request" | "mix"> {
  const asked = row.request === undefined && row.requests === undefined ? defaults : row;
  if (asked.request !== undefined && asked.requests !== undefined)
    throw new Error(`"request" and "requests" are both given; a row has one of them`);
  const planned = (name: string | undefined) => {
    const request = plannedRequest(name ?? "", find(name), interfaceName);
    checkSender(request, generator);
    return request;
  };
  if (asked.requests === undefined) return { request: planned(asked.request) };
  const mix = plannedMix(
    Object.entries(asked.requests).map(([name, weight]) => ({ request: planned(name), weight })),
    generator,
  );
  return { request: planned(mix[0]?.request.name), mix };
}

/**
 * The requests of a row, the first one in front. oha draws one URL of a list for each request (`--urls-from-file`); all
 * else is the same for the whole run of it.
 * @throws Error naming the two requests that cannot be in one row
 */
function plannedMix(requests: readonly WeightedRequest[], generator: GeneratorName): readonly WeightedRequest[] {
  const [first, ...others] = requests;
  if (!first) return [];
  if (generator !== "oha")
    throw new Error(`several requests in one row need the load generator oha; ${generator} sends one`);
  for (const { request } of others) {
    const differing = differences(first.request, request);
    if (differing.length > 0)
      throw new Error(
        `requests "${first.request.name}" and "${request.name}" differ in ${differing.join(" and ")}: in one row only path and query may differ; give them rows of their own`,
      );
  }
  for (const [i, { request }] of requests.entries()) {
    const same = requests.slice(0, i).find((other) => other.request.path === request.path);
    if (same)
      throw new Error(
        `requests "${same.request.name}" and "${request.name}" have the same path ${request.path}: nothing would show which of them was answered`,
      );
  }
  const divisor = requests.map(({ weight }) => weight).reduce(greatestCommonDivisor);
  return requests.map(({ request, weight }) => ({ request, weight: weight / divisor }));
}

function differences(one: PlannedRequest, other: PlannedRequest): string[] {
  return (["method", "headers", "body"] as const).filter((field) => !isDeepStrictEqual(one[field], other[field]));
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Where a row's time goes: the functions whose time differs between base and head. The stacks are in files beside the results. */
import * as v from "valibot";
import { amount, count, finite, line, list, rowId, text } from "./fields.js";

/** Functions in one table. */
export const PROFILE_LINES_MAX = 10;

const side = v.object({
  /** Server processes, one after the other. */
  processes: count,
  /** Samples of a thread that worked; samples of waiting threads do not count. */
  samples: count,
  /** Successful requests while the server was sampled. */
  requests: count,
  /** CPU time of all processes of the server while it was sampled, over its requests. */
  cpuPerRequestUs: amount,
});

const profiledFunction = v.object({
  name: line,
  /** Relative to the side's checkout, to site-packages or to Python's library. */
  file: text,
  /** First line of the function in head, or in base where head has no such function; absent in libraries. */
  line: v.optional(count),
  /** CPU time per request, without what the functions that it calls take. */
  baseUs: amount,
  headUs: amount,
  /** Head's time less base's, and half of its interval: with 95 % confidence all intervals of a table hold at once. */
  differenceUs: finite,
  errorUs: amount,
});
export type ProfiledFunction = v.InferOutput<typeof profiledFunction>;

const rowFields = { id: rowId, connections: count };

export const rowProfile = v.variant("state", [
  v.object({
    ...rowFields,
    state: v.literal("sampled"),
    /** Requests per second that were sent to both sides; absent where each side got as many as it could answer. */
    ratePerSec: v.optional(amount),
    sampler: line,
    base: side,
    head: side,
    /** Those with a difference beyond its error, the largest first. */
    functions: list(profiledFunction, PROFILE_LINES_MAX, "functions"),
  }),
  v.object({ ...rowFields, state: v.literal("failed"), reason: text }),
]);
export type RowProfile = v.InferOutput<typeof rowProfile>;
export type SampledProfile = Extract<RowProfile, { readonly state: "sampled" }>;

/** Parts of the schema that the outputs of all load generators share. */
import * as v from "valibot";
import { amount, count } from "../../results/fields.js";

export { amount, count };

/** Mean, largest and percentiles of the latency, in the output's own unit. */
export const latency = v.object({
  mean: amount,
  p50: amount,
  p60: amount,
  p70: amount,
  p75: amount,
  p80: amount,
  p90: amount,
  p95: amount,
  p99: amount,
  max: amount,
});

/** Parts of the schema that the outputs of all load generators share. */

import * as v from "valibot";
import { clip } from "../../messages/clip.js";

/** Figures of a load are far below; products of larger ones would not be finite, and no results file could hold them. */
const LARGEST = Number.MAX_SAFE_INTEGER;

export const amount = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(LARGEST));
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Elapsed time, in the output's own unit: a rate is divided by it. */
export const elapsed = v.pipe(amount, v.minValue(1e-6));

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
  p999: v.optional(amount),
  max: amount,
});

const SHOWN_CHARACTERS = 200;

/** @param what of the message: `oha's output` @throws UnreadableOutput that names the field */
export function readOutput<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  what: string,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, jsonOf(text, what), { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const field = v.getDotPath(issue) ?? "(top)";
  throw new UnreadableOutput(`${what}, field ${shown(field)}: ${shown(issue.message)}`);
}

function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableOutput(`${what} is not JSON: ${JSON.stringify(shown(text))}`);
  }
}

/** The output may be megabytes, and the message is a row's reason. */
function shown(text: string): string {
  return clip(text, SHOWN_CHARACTERS);
}

/** What a load generator printed has no figures. The message names the program and the field. */
export class UnreadableOutput extends Error {
  override readonly name = "UnreadableOutput";
}

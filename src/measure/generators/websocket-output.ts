/** What our websocket client prints: from unknown text to what a slice needs. */
import * as v from "valibot";
import type { LatencyMs } from "../../results/schema.js";
import { amount, count, latency } from "./output-schema.js";

const output = v.object({
  /** Everything that was sent came to every client, or something in its place. */
  whole: v.boolean(),
  rounds: count,
  /** Of the rounds that became whole: messages sent, messages received over all clients, and their seconds. */
  sent: count,
  received: count,
  seconds: amount,
  /** Until the last message of each round was handed to the kernel. */
  sendSeconds: amount,
  /** Of the client, on the clock of the rounds. */
  cpuSeconds: amount,
  failures: v.record(v.string(), count),
  /** From sending to the receipt of the own message. */
  latencyMs: v.nullable(latency),
});

export interface WebsocketOutput extends Omit<v.InferOutput<typeof output>, "latencyMs"> {
  readonly latencyMs: LatencyMs | undefined;
}

/** @throws Error that names the field */
export function parseWebsocketOutput(text: string): WebsocketOutput {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`the websocket client's output is not JSON: ${JSON.stringify(text.slice(0, 200))}`);
  }
  const parsed = v.safeParse(output, json);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new Error(`the websocket client's output, field ${v.getDotPath(issue) ?? "(top)"}: ${issue.message}`);
  }
  return { ...parsed.output, latencyMs: parsed.output.latencyMs ?? undefined };
}

/** Why a broadcast has no figures; undefined where it has. A round that lost something ends it: it has no duration. */
export function brokenBroadcast({ whole, rounds, received, failures }: WebsocketOutput): string | undefined {
  if (whole) return undefined;
  const kinds = Object.entries(failures).sort(([, a], [, b]) => b - a);
  const what = kinds.map(([kind, n]) => `${n} x ${kind}`).join(", ");
  return rounds === 0
    ? `the broadcast never became whole: ${what}`
    : `the broadcast broke after ${rounds} rounds and ${received} messages: ${what}`;
}

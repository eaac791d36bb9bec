/** The output of the project's websocket client: from unknown text to what a slice needs. */
import * as v from "valibot";
import type { LatencyMs } from "../../results/schema.js";
import { amount, count, latency } from "./output-schema.js";

const output = v.object({
  /** Every client received as many messages as were sent to it, right or wrong. */
  whole: v.boolean(),
  rounds: count,
  /** Of complete rounds: messages sent, messages received over all clients, and the seconds that they took. */
  sent: count,
  received: count,
  seconds: amount,
  /** Until the last message of each round was handed to the kernel. */
  sendSeconds: amount,
  /** Of the client, during the rounds. */
  cpuSeconds: amount,
  failures: v.record(v.string(), count),
  /** From sending a message to receiving it back. */
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

/** Why a broadcast has no figures; undefined where it has. A round that loses a message has no duration, and ends the broadcast. */
export function brokenBroadcast({ whole, rounds, received, failures }: WebsocketOutput): string | undefined {
  if (whole) return undefined;
  const kinds = Object.entries(failures).sort(([, a], [, b]) => b - a);
  const what = kinds.map(([kind, n]) => `${n} x ${kind}`).join(", ");
  return rounds === 0
    ? `the broadcast was never complete: ${what}`
    : `the broadcast broke after ${rounds} rounds and ${received} messages: ${what}`;
}

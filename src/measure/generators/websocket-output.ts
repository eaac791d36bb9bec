/** The output of the project's websocket client: from unknown text to what a slice needs. */
import * as v from "valibot";
import type { LatencyMs } from "../../results/schema.js";
import { amount, count, elapsed, latency, readOutput } from "./output-schema.js";

/** None where no round is complete. */
const spent = v.union([v.literal(0), elapsed]);

const output = v.object({
  /** Every client received as many messages as were sent to it, right or wrong. */
  whole: v.boolean(),
  rounds: count,
  /** Of complete rounds: messages sent, messages received over all clients, and the seconds that they took. */
  sent: count,
  received: count,
  seconds: spent,
  /** Until the last message of each round was handed to the kernel. */
  sendSeconds: spent,
  /** Of the client, during the rounds. */
  cpuSeconds: amount,
  /** Of the client in all, with its workers. */
  programCpuSeconds: amount,
  failures: v.record(v.string(), count),
  /** From sending a message to receiving it back. */
  latencyMs: v.nullable(latency),
});

export interface WebsocketOutput extends Omit<v.InferOutput<typeof output>, "latencyMs"> {
  readonly latencyMs: LatencyMs | undefined;
}

/** @throws Error that names the field */
export function parseWebsocketOutput(text: string): WebsocketOutput {
  const read = readOutput(output, text, "the websocket client's output");
  return { ...read, latencyMs: read.latencyMs ?? undefined };
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

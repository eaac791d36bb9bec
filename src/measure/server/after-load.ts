/** One more answer to every request after the load: a load generator sees status and size only. */
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "./attempt.js";
import { type Exchange, expectedOf } from "./exchange.js";
import { difference, type Expected } from "./expected.js";
import type { Attempt, Probe } from "./probe.js";

/** Answers to requests that were cut off at the end of the load come first. */
const LIMIT_MS = 2000;
const PAUSE_MS = 50;

/**
 * A server that answers nothing, or something right once, passes: the load has counted its failures.
 * @returns how its answers are wrong. @throws the signal's reason
 */
export async function wrongAfterLoad(
  { routes, learned }: Exchange,
  probeOf: (route: Exchange["routes"][number]) => Probe,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const route of routes) {
    const wrong = await lasting(probeOf(route), expectedOf(route, learned), signal);
    if (wrong !== undefined) return `the answer to "${route.request.name}" is wrong after the load: ${wrong}`;
  }
  return undefined;
}

/** For a server that hardly answered at the end of the load: it may be starting again. */
const SILENCE_MS = 10_000;

/** Whether it answers nothing any more. @throws the signal's reason */
export async function isSilentAfterLoad(
  { routes }: Exchange,
  probeOf: (route: Exchange["routes"][number]) => Probe,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const { kind } of attempts(routes.map(probeOf), SILENCE_MS, signal)) if (kind === "answer") return false;
  return true;
}

async function lasting(probe: Probe, expected: Expected, signal: AbortSignal): Promise<string | undefined> {
  let wrong: string | undefined;
  for await (const seen of attempts([probe], LIMIT_MS, signal)) {
    const differs = difference(seen, expected);
    if (differs === undefined) return undefined;
    if (seen.kind === "answer") wrong = differs.words;
  }
  return wrong;
}

/** Each probe in turn, until the time is over. @throws the signal's reason */
async function* attempts(probes: readonly Probe[], limitMs: number, signal: AbortSignal): AsyncGenerator<Attempt> {
  const endsAt = performance.now() + limitMs;
  for (;;) {
    for (const probe of probes) {
      const left = endsAt - performance.now();
      if (left <= 0) return;
      const seen = await attempt(probe, Math.min(left, LIMIT_MS), signal);
      signal.throwIfAborted();
      yield seen;
    }
    await sleep(PAUSE_MS);
  }
}

/** Asks a server that has just got ready a few times more, to see what its right answers have in common. */
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "./attempt.js";
import { type Exchange, expectedOf, type Route } from "./exchange.js";
import { difference, type Expected } from "./expected.js";
import { isLearned, type LearnedAnswers } from "./learned.js";
import type { Answer, Probe } from "./probe.js";

/** With the first one: a body that holds a time, a token or a counter differs in all of them. */
const ANSWERS = 6;
/** Slow requests are asked less often. */
const LIMIT_MS = 1000;
/** A time in milliseconds differs after this. */
const PAUSE_MS = 5;

/** Answers that are not right are left out: the load counts them. @throws the signal's reason */
export async function learnAnswers(
  probe: Probe,
  route: Route,
  learned: LearnedAnswers,
  first: Answer,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  learned.add(route.request, first);
  const expected = expectedOf(route, learned);
  for (let answers = 1; answers < ANSWERS; answers += 1) {
    const left = LIMIT_MS - (performance.now() - startedAt);
    if (left <= 0) return;
    await sleep(PAUSE_MS);
    const seen = await rightAnswer(probe, { limitMs: left, expected: { ...expected, type: undefined }, signal });
    if (seen) learned.add(route.request, seen);
  }
}

/** Once more after the warm-up: a counter or an uptime may have been the same in all of the first answers. @throws the signal's reason */
export async function learnAgain(
  { routes, learned }: Exchange,
  probeOf: (route: Route) => Probe,
  signal: AbortSignal,
): Promise<void> {
  for (const route of routes.filter(({ request }) => isLearned(request))) {
    const asking = { limitMs: LIMIT_MS, expected: expectedOf(route, learned), signal };
    const seen = await rightAnswer(probeOf(route), asking);
    if (seen) learned.addLater(route.request, seen);
  }
}

interface Asking {
  readonly limitMs: number;
  readonly expected: Expected;
  readonly signal: AbortSignal;
}

async function rightAnswer(probe: Probe, { limitMs, expected, signal }: Asking): Promise<Answer | undefined> {
  const seen = await attempt(probe, limitMs, signal);
  signal.throwIfAborted();
  return seen.kind === "answer" && difference(seen, expected) === undefined ? seen : undefined;
}

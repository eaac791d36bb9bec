/** Waits until a server gives the right answer: the expected status and, byte for byte, the expected body. */

import { setTimeout as sleep } from "node:timers/promises";
import { describeExit, type ServerExit, type ServerProcess } from "../../process/group.js";
import { attempt } from "./attempt.js";
import type { Attempt, Probe } from "./probe.js";

export interface Expected {
  readonly status: number;
  readonly body: Buffer;
}
export type Readiness = { readonly state: "ready" } | { readonly state: "failed"; readonly reason: string };

/** Servers need 0.4 s and more to start: asking this often does not slow them. */
const POLL_MS = 20;
/** A server that needs two seconds is slow: ask less often. */
const SLOW_AFTER_MS = 2000;
const SLOW_POLL_MS = 100;
/** A server may accept a connection before it can serve it: then ask again instead of waiting longer. */
const ATTEMPT_MS = 5000;
/** An attempt with less time than this at the end of the wait is not reported: the one before it says more. */
const USEFUL_MS = 500;

/** Describes how an answer differs from the expected one; undefined where it does not. */
export function difference(seen: Attempt, expected: Expected): string | undefined {
  if (seen.kind === "none") return seen.why;
  if (seen.status !== expected.status) return `status ${seen.status} instead of ${expected.status}`;
  if (seen.body.equals(expected.body)) return undefined;
  let at = 0;
  while (at < seen.body.length && seen.body[at] === expected.body[at]) at++;
  const where = at >= seen.body.length || at >= expected.body.length ? "equal up to" : "they differ at";
  return `a body of ${seen.body.length} bytes instead of ${expected.body.length}; ${where} byte ${at}`;
}

function endedEarly(exit: ServerExit): string {
  const daemon = exit.code === 0 ? "; a server has to stay in the foreground" : "";
  return `its first process ended (${describeExit(exit)}) before the right answer came${daemon}`;
}

/** Resolves as soon as it is ready, has ended, or took too long. @throws the signal's reason */
export async function awaitReady(
  server: Pick<ServerProcess, "exit" | "exited">,
  probe: Probe,
  expected: Expected,
  timeoutSec: number,
  signal: AbortSignal,
): Promise<Readiness> {
  const startedAt = performance.now();
  const over = new AbortController();
  void server.exited.then(() => over.abort(new Error("the server ended")));
  const stop = AbortSignal.any([over.signal, signal]);
  let last: string | undefined;
  for (;;) {
    const elapsed = performance.now() - startedAt;
    const left = timeoutSec * 1000 - elapsed;
    if (left <= 0)
      return { state: "failed", reason: `not ready after ${timeoutSec} s; last seen: ${last ?? "nothing"}` };
    const seen = await attempt(probe, Math.min(ATTEMPT_MS, left), stop);
    signal.throwIfAborted();
    // Check first whether it ended: another process may answer on the same port.
    if (server.exit !== undefined) return { state: "failed", reason: endedEarly(server.exit) };
    const wrong = difference(seen, expected);
    if (wrong === undefined) return { state: "ready" };
    if (seen.kind === "answer" || left >= USEFUL_MS || last === undefined) last = wrong;
    await sleep(elapsed < SLOW_AFTER_MS ? POLL_MS : SLOW_POLL_MS, undefined, { signal: stop }).catch(() => {});
    signal.throwIfAborted();
  }
}

/** Waits until a server gives the right answer, or until it is clear that it will not. */
import { setTimeout as sleep } from "node:timers/promises";
import { describeExit, type ServerExit, type ServerProcess } from "../../process/group.js";
import { RunningTime } from "../../process/limit.js";
import { LinkedAbort } from "../../process/linked-abort.js";
import { attempt } from "./attempt.js";
import { type Difference, difference, type Expected } from "./expected.js";
import { listeningPorts } from "./listeners.js";
import type { Answer, Attempt, Probe } from "./probe.js";

export type Readiness =
  | { readonly state: "ready"; readonly answer: Answer }
  | { readonly state: "failed"; readonly reason: string };

/** Servers need 0.4 s and more to start: asking this often does not slow them. */
const POLL_MS = 20;
/** A server that needs two seconds is slow: ask less often. */
const SLOW_AFTER_MS = 2000;
const SLOW_POLL_MS = 100;
/** A server may accept a connection before it can serve it: then ask again instead of waiting longer. */
const ATTEMPT_MS = 5000;
/** No attempt takes longer, with what follows it. */
const ROUND_MS = 10_000;
/** An attempt with less time than this at the end of the wait is not reported: the one before it says more. */
const USEFUL_MS = 500;
/** A wrong answer that stays the same for this long will not become right. */
const STABLE_MS = 1500;
/** It is reported at the latest this long after it was first seen, where answers are slow. */
const STABLE_MAX_MS = 2000;
/** Servers refuse connections for their first second; then it is worth looking where they listen instead. */
const LISTENERS_AFTER_MS = 1000;
const LISTENERS_POLL_MS = 500;
/** A server may open a port for its metrics, which answers everything, seconds before its own. */
const ELSEWHERE_MS = 4000;

function endedEarly(exit: ServerExit): string {
  const daemon = exit.code === 0 ? "; a server has to stay in the foreground" : "";
  return `its first process ended (${describeExit(exit)}) before the right answer came${daemon}`;
}

type Watched = Pick<ServerProcess, "exit" | "exited" | "processes">;

/** Resolves as soon as it is ready, has ended, answers wrongly for good, or took too long. @throws the signal's reason */
export async function awaitReady(
  server: Watched,
  probe: Probe,
  expected: Expected,
  timeoutSec: number,
  signal: AbortSignal,
): Promise<Readiness> {
  const time = new RunningTime(ROUND_MS);
  using over = new LinkedAbort(signal);
  void server.exited.then(() => over.abort(new Error("the server ended")));
  const stop = over.signal;
  const stable = new StableAnswer();
  const elsewhere = new Elsewhere(server, { probe, expected }, stop);
  let last: string | undefined;
  for (;;) {
    const elapsed = time.read();
    const left = timeoutSec * 1000 - elapsed;
    if (left <= 0) {
      const seen = last ?? "nothing";
      return { state: "failed", reason: `not ready after ${timeoutSec} s; last seen: ${seen}${elsewhere.words()}` };
    }
    const askedAt = performance.now();
    const seen = await attempt(probe, Math.min(ATTEMPT_MS, left), stop);
    signal.throwIfAborted();
    // Check first whether it ended: another process may answer on the same port.
    if (server.exit !== undefined) return { state: "failed", reason: endedEarly(server.exit) };
    const wrong = difference(seen, expected);
    if (wrong === undefined && seen.kind === "answer") return { state: "ready", answer: seen };
    const final = stable.add(seen, wrong, askedAt) ?? (await elsewhere.look(seen, elapsed));
    signal.throwIfAborted();
    if (final !== undefined) return { state: "failed", reason: final };
    if (seen.kind === "answer" || left >= USEFUL_MS || last === undefined) last = wrong?.words;
    await sleep(elapsed < SLOW_AFTER_MS ? POLL_MS : SLOW_POLL_MS, undefined, { signal: stop }).catch(() => {});
    signal.throwIfAborted();
  }
}

/** Wrong answers that all differ in the same way. */
class StableAnswer {
  #kind: string | undefined;
  #since = 0;

  /** @returns why the server fails, once its wrong answer is stable */
  add(seen: Attempt, wrong: Difference | undefined, askedAt: number): string | undefined {
    const now = performance.now();
    if (wrong === undefined || !isFinal(seen)) {
      this.#kind = undefined;
      return undefined;
    }
    if (this.#kind !== wrong.kind) {
      this.#kind = wrong.kind;
      this.#since = now;
      return undefined;
    }
    const age = now - this.#since;
    const next = age + (now - askedAt) + SLOW_POLL_MS;
    return age >= STABLE_MS || next > STABLE_MAX_MS ? `it answers, but not as expected: ${wrong.words}` : undefined;
  }
}

/** Whether an answer may stay as it is. A server can ask to come back later. */
function isFinal(seen: Attempt): boolean {
  if (seen.kind === "none") return seen.refused === true;
  return seen.status !== 503 || seen.retryAfter === undefined;
}

/** Looks for a server on another port, while nothing answers on the one that it was given. */
class Elsewhere {
  readonly #server: Watched;
  readonly #probe: Probe;
  readonly #expected: Expected;
  readonly #signal: AbortSignal;
  #ports: readonly number[] = [];
  /** Since when which port gives right answers. */
  #right: { readonly port: number; readonly sinceMs: number } | undefined;
  #lookedAtMs = 0;

  constructor(
    server: Watched,
    { probe, expected }: { readonly probe: Probe; readonly expected: Expected },
    signal: AbortSignal,
  ) {
    this.#server = server;
    this.#probe = probe;
    this.#expected = expected;
    this.#signal = signal;
  }

  /** @returns why the server fails, once it has given right answers on another port for some seconds */
  async look(seen: Attempt, elapsedMs: number): Promise<string | undefined> {
    const early = elapsedMs < LISTENERS_AFTER_MS || elapsedMs - this.#lookedAtMs < LISTENERS_POLL_MS;
    if (seen.kind === "answer" || early) return undefined;
    this.#lookedAtMs = elapsedMs;
    const ports = listeningPorts(this.#server.processes());
    const { socket, ...overTcp } = this.#probe;
    this.#ports = socket === undefined && ports.includes(this.#probe.port) ? [] : ports;
    const { port, sinceMs } = this.#right ?? {};
    if (sinceMs !== undefined && elapsedMs - sinceMs >= ELSEWHERE_MS)
      return `it answers on port ${port} and ${notWhereGiven(this.#probe)}`;
    for (const other of this.#ports) {
      const answer = await attempt({ ...overTcp, port: other }, LISTENERS_POLL_MS, this.#signal);
      if (difference(answer, this.#expected) !== undefined) continue;
      if (other !== port) this.#right = { port: other, sinceMs: elapsedMs };
      return undefined;
    }
    this.#right = undefined;
    return undefined;
  }

  words(): string {
    if (this.#ports.length === 0) return "";
    const ports = this.#ports.length === 1 ? `port ${this.#ports[0]}` : `the ports ${this.#ports.join(", ")}`;
    return `; it listens on ${ports} and ${notWhereGiven(this.#probe)}`;
  }
}

/** Of a server that listens somewhere else: where it should listen, and what its command lacks. */
export function notWhereGiven({ port, socket }: Pick<Probe, "port" | "socket">): string {
  return socket === undefined
    ? `not on the port that it was given (${port}): its command has to pass on {port}`
    : "not on the unix socket that it was given: its command has to pass on {socket}";
}

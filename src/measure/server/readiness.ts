/** Waits until a server gives the right answer, or until it is clear that it will not. */
import { setTimeout as sleep } from "node:timers/promises";
import { reason } from "../../messages/reasons.js";
import { describeExit, type ServerExit, type ServerProcess } from "../../process/group.js";
import { RunningTime } from "../../process/limit.js";
import { LinkedAbort } from "../../process/linked-abort.js";
import { attempt, speaksTls } from "./attempt.js";
import { type Difference, difference, type Expected } from "./expected.js";
import { type Listener, listenersOf } from "./listeners.js";
import { HOST } from "./port.js";
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

/** What servers print where the app's own startup failed (ASGI's lifespan). */
const STARTUP_FAILS = /lifespan ?(?:failure|error)|(?:application|lifespan) startup failed|lifespan.*\bfailed\b/i;
const ERRORS = /^\s*Traceback \(most recent call last\)|\b(?:error|exception|critical|fatal)\b/im;

/** @param log its last lines */
export function endedEarly(exit: ServerExit, log: string): string {
  const values = { exit: describeExit(exit) };
  if (STARTUP_FAILS.test(log)) return reason("startup-fails", values);
  return reason(exit.code === 0 && !ERRORS.test(log) ? "background" : "ended-early", values);
}

/** @param seen undefined: nothing was seen in all that time */
export function lateReason(
  seconds: number,
  seen: { readonly words: string; readonly attempt: Attempt } | undefined,
): string {
  const how = seen?.attempt.kind === "none" ? seen.attempt.how : undefined;
  const values = { seconds, seen: seen?.words ?? "nothing" };
  if (how === "unconnected" && values.seen === "connection refused") return reason("nothing-listens", values);
  return reason(how === "late" ? "silent" : "not-ready", values);
}

type Watched = Pick<ServerProcess, "exit" | "exited" | "processes" | "logTail">;

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
  let last: { readonly words: string; readonly attempt: Attempt } | undefined;
  for (;;) {
    const elapsed = time.read();
    const left = timeoutSec * 1000 - elapsed;
    if (left <= 0)
      return {
        state: "failed",
        reason:
          (last?.attempt.kind !== "answer" && elsewhere.words()) ||
          (await orTls(lateReason(timeoutSec, last), probe, last)),
      };
    const askedAt = performance.now();
    const seen = await attempt(probe, Math.min(ATTEMPT_MS, left), stop);
    signal.throwIfAborted();
    // Check first whether it ended: another process may answer on the same port.
    if (server.exit !== undefined) return { state: "failed", reason: endedEarly(server.exit, server.logTail()) };
    const wrong = difference(seen, expected);
    if (wrong === undefined && seen.kind === "answer") return { state: "ready", answer: seen };
    const settled = stable.add(seen, wrong, askedAt);
    const final =
      settled === undefined ? await elsewhere.look(seen, elapsed) : await orTls(settled, probe, { attempt: seen });
    signal.throwIfAborted();
    if (final !== undefined) return { state: "failed", reason: final };
    if (seen.kind === "answer" || left >= USEFUL_MS || last === undefined)
      last = wrong && { words: wrong.words, attempt: seen };
    await sleep(elapsed < SLOW_AFTER_MS ? POLL_MS : SLOW_POLL_MS, undefined, { signal: stop }).catch(() => {});
    signal.throwIfAborted();
  }
}

/** How long a handshake may take. */
const TLS_MS = 1000;

/** Servers answer a request without TLS to a port that speaks it in many ways: the reason is then that, whatever came. */
async function orTls(
  words: string,
  { port, authority, socket }: Probe,
  seen: { readonly attempt: Attempt } | undefined,
): Promise<string> {
  const connected = seen !== undefined && !(seen.attempt.kind === "none" && seen.attempt.how === "unconnected");
  const plain = authority === undefined && socket === undefined;
  return connected && plain && (await speaksTls(port, TLS_MS)) ? reason("plain-to-tls") : words;
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
    if (age < STABLE_MS && next <= STABLE_MAX_MS) return undefined;
    return isMishap(seen) ? wrong.words : reason("wrong-answer", { seen: wrong.words });
  }
}

/** Whether an answer may stay as it is. A server can ask to come back later. */
function isFinal(seen: Attempt): boolean {
  if (seen.kind === "none") return seen.refused === true || isMishap(seen);
  return seen.status !== 503 || seen.retryAfter === undefined;
}

function isMishap(seen: Attempt): boolean {
  return seen.kind === "none" && seen.how === "mishap";
}

/** Looks for a server on another port or address, while nothing answers at its own port. */
class Elsewhere {
  readonly #server: Watched;
  readonly #probe: Probe;
  readonly #expected: Expected;
  readonly #signal: AbortSignal;
  #ports: readonly number[] = [];
  /** Of its own port, out of reach. */
  #apart: string | undefined;
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
    const { socket, ...overTcp } = this.#probe;
    this.#note(listenersOf(this.#server.processes()));
    const { port, sinceMs } = this.#right ?? {};
    // Where any answer is right, a port for metrics gives right ones too, however long the app needs for its own.
    const sure = this.#expected.body.kind !== "any";
    if (sure && sinceMs !== undefined && elapsedMs - sinceMs >= ELSEWHERE_MS)
      return elsewhereReason("answers", `port ${port}`, this.#probe);
    for (const other of this.#ports) {
      const answer = await attempt({ ...overTcp, port: other }, LISTENERS_POLL_MS, this.#signal);
      if (difference(answer, this.#expected) !== undefined) continue;
      if (other !== port) this.#right = { port: other, sinceMs: elapsedMs };
      return undefined;
    }
    this.#right = undefined;
    return undefined;
  }

  #note(listeners: readonly Listener[]): void {
    const { socket, port } = this.#probe;
    const own = listeners.filter((one) => socket === undefined && one.port === port);
    const reached = own.some(({ apart }) => apart === undefined);
    this.#apart = reached ? undefined : own[0]?.apart;
    this.#ports = own.length > 0 ? [] : [...new Set(listeners.map((one) => one.port))];
  }

  /** At the end of the wait, without an answer; undefined: it listens nowhere else. */
  words(): string | undefined {
    this.#note(listenersOf(this.#server.processes()));
    if (this.#apart !== undefined) return reason("other-address", { address: this.#apart, given: HOST });
    if (this.#ports.length === 0) return undefined;
    const ports = this.#ports.length === 1 ? `port ${this.#ports[0]}` : `the ports ${this.#ports.join(", ")}`;
    return elsewhereReason("listens", ports, this.#probe);
  }
}

/** Of a server that listens somewhere else: where it should listen, and what its command lacks. */
export function elsewhereReason(does: string, there: string, { port, socket }: Pick<Probe, "port" | "socket">): string {
  return socket === undefined
    ? reason("other-port", { does, there, given: port })
    : reason("no-socket", { does, there });
}

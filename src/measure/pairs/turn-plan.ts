/** How many turns the sides take, and how long: from what a typical request takes. Pure. */
import type { Order, Turns } from "./turns.js";

/**
 * Of a turn, where requests are fast. The machine's speed differs from one turn to the next by some 4 %, whether a turn lasts 20 or
 * 50 ms: more turns gain precision, longer ones do not. In shorter ones too much of the time is waiting for the last answers.
 */
const TURN_SEC = 0.02;
/**
 * Of each side in one block. In turns of 20 ms the standard deviation of a pair's CPU per request was 1.50 % at 2.4 s a pair, with three of
 * 30 ms 1.86 % in the same time (granian, uvicorn, gunicorn, hypercorn; 60 pairs of identical sides each, measured in turn).
 */
const TURNS = 4;
/**
 * In a closed loop the requests under way are answered after one mean latency on average (Little's law). Answers that come in the other
 * side's turn are counted as its bytes: with one mean latency the requests of hypercorn's blocks were wrong by 1.4 % (standard deviation
 * of a pair), with one and a half by 0.5 %.
 */
const DRAIN_LATENCIES = 1.5;
/**
 * In a slow server's turn, on average. In turns of 20 ms it has too few: the standard deviation beside a neighbour rose from 1.6 to 2.5 %
 * (gunicorn, hypercorn).
 */
const REQUESTS_PER_SLOW_TURN = 3.5;
const SLOW_TURNS = 3;
/** Longer turns would no longer follow a machine whose speed changes. */
const TURN_MAX_SEC = 0.14;

/** @param latencySec of a typical request of the slower side */
export function canTakeTurns(latencySec: number): boolean {
  return REQUESTS_PER_SLOW_TURN * latencySec <= TURN_MAX_SEC;
}

/**
 * A server is slow where waiting for its last answers takes more than half of a turn.
 *
 * The turns of a block differ from those of another by up to one latency. Where an app waits, every connection has a whole number of
 * answers in a turn, and with a wait that is 7 % longer that may be the same number. In turns of different lengths the number of
 * answers follows the latency.
 * @param latencySec of a typical request of the slower side
 * @param orders which side begins each block
 * @param phase from 0 to below 1, drawn for each pair: which lengths the turns have
 */
export function planTurns(latencySec: number, orders: readonly Order[], phase: number): Omit<Turns, "settleSec"> {
  const drainSec = DRAIN_LATENCIES * latencySec;
  const isSlow = drainSec > TURN_SEC / 2;
  const meanSec = isSlow ? REQUESTS_PER_SLOW_TURN * latencySec : TURN_SEC;
  const blocks = orders.map((order, i) => {
    return { order, seconds: meanSec + latencySec * ((i + phase) / orders.length - 1 / 2) };
  });
  return { blocks, count: isSlow ? SLOW_TURNS : TURNS, drainSec };
}

/** What the slices before the turns show. */
interface BeforeTurns {
  readonly clientBusy: boolean;
  /** CPUs that a server used, on average of both sides. */
  readonly serverCpus: number;
}

/**
 * How many requests' time a server needs after each stop of its load generator. One that works all the time has all of them in its queue.
 * One that waits, for a database or a timer, has each one half answered on average. With a busy load generator they are answered, and
 * wait for it.
 * @param concurrent requests that the load generator has under way
 */
export function requestsUnderWay(concurrent: number, { clientBusy, serverCpus }: BeforeTurns): number {
  return clientBusy ? 0 : (concurrent * (1 + Math.min(1, serverCpus))) / 2;
}

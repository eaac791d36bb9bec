import { describe, expect, it } from "vitest";
import { canTakeTurns, planTurns, requestsUnderWay } from "../../../src/measure/pairs/turn-plan.js";
import { turnsInOrder } from "../../../src/measure/pairs/turns.js";

const ORDERS = [
  ["head", "base"],
  ["base", "head"],
  ["base", "head"],
  ["head", "base"],
] as const;

function turnsAt(latencySec: number, phase = 0.5) {
  const { blocks, count, drainSec } = planTurns(latencySec, ORDERS, phase);
  const lengths = blocks.map(({ seconds }) => seconds);
  return { count, drainSec, mean: lengths.reduce((sum, seconds) => sum + seconds, 0) / lengths.length, lengths };
}

describe("turns", () => {
  it("are many and short where requests are fast", () => {
    expect(turnsAt(0)).toMatchObject({ count: 4, mean: 0.02, drainSec: 0 });
    expect(turnsAt(0.002)).toMatchObject({ count: 4, mean: expect.closeTo(0.02, 9), drainSec: 0.003 });
  });

  it("are fewer and hold several requests where these are slow, and are never shorter than fast ones", () => {
    expect(turnsAt(0.012)).toMatchObject({ count: 3, mean: expect.closeTo(0.042, 9), drainSec: 0.012 * 1.5 });
    for (const latencySec of [0.0067, 0.02, 0.04]) expect(turnsAt(latencySec).mean).toBeGreaterThan(0.02);
  });

  it("are taken up to 40 ms a request", () => {
    expect([0.04, 0.041].map(canTakeTurns)).toEqual([true, false]);
  });

  it("have other lengths in each block and each pair, within one latency", () => {
    expect(turnsAt(0.004, 0).lengths.map((seconds) => Math.round(seconds * 1e6))).toEqual([
      18_000, 19_000, 20_000, 21_000,
    ]);
    expect(turnsAt(0.004, 0.75).lengths.map((seconds) => Math.round(seconds * 1e6))).toEqual([
      18_750, 19_750, 20_750, 21_750,
    ]);
  });

  it.each([0.003, 0.01, 0.02])(
    "show a longer wait in the number of answers, also a little longer one: %f s",
    (wait) => {
      /** Of one connection whose every request waits this long, in 100 pairs. */
      const answers = (waitSec: number, side: "base" | "head") => {
        let sum = 0;
        for (let pair = 0; pair < 100; pair += 1) {
          const { blocks, count } = planTurns(1.05 * wait, ORDERS, (pair * 0.618) % 1);
          for (const { order, seconds } of blocks)
            for (const [turn, turnSec] of turnsInOrder(order, count, seconds))
              if (turn === side) sum += Math.floor(turnSec / waitSec) + 1;
        }
        return sum;
      };
      const change = answers(1.05 * wait, "head") / answers(wait, "base") - 1;
      expect(change).toBeLessThan(-0.02);
      expect(change).toBeGreaterThan(-0.07);
    },
  );

  it("end with all requests in the queue of a busy server, and with half of each in one that waits", () => {
    expect(requestsUnderWay(64, { clientBusy: false, serverCpus: 1 })).toBe(64);
    expect(requestsUnderWay(64, { clientBusy: false, serverCpus: 3.2 })).toBe(64);
    expect(requestsUnderWay(64, { clientBusy: false, serverCpus: 0 })).toBe(32);
    expect(requestsUnderWay(64, { clientBusy: true, serverCpus: 0.9 })).toBe(0);
  });
});

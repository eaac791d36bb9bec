/** The order of a pair, with an executor that only writes down what it is asked for. */
import { describe, expect, it } from "vitest";
import { type Failure, type PairExecutor, runPair, sliceOrder } from "../../../src/measure/pairs/schedule.js";

const FAILED: Failure = { state: "failed", side: "head", reason: "it ended", log: "" };

/** Slices of a pair whose head is first. */
const IN_TURN = "head base base head head base base head".split(" ");

interface Answers {
  /** The step that fails, such as `slice head 0.3`. */
  readonly failAt?: string;
  /** Whether there are slices at a fixed rate. */
  readonly latency?: boolean;
  /** Whether the sides can be loaded at the same time. */
  readonly shares?: boolean;
  /** Whether they need more slices alone then. */
  readonly needsAlone?: boolean;
  /** Whether each side has a slice alone. */
  readonly needsLevel?: boolean;
  /** What eight requests take. */
  readonly slowSec?: number;
}

function noting(answers: Answers = {}): PairExecutor<string> & { readonly steps: string[] } {
  const { failAt, latency = false, shares = false, needsAlone = false, needsLevel = true, slowSec = 0 } = answers;
  const steps: string[] = [];
  const step = <T>(name: string, value: T) => {
    steps.push(name);
    return Promise.resolve(name === failAt ? FAILED : ({ state: "done", value } as const));
  };
  return {
    steps,
    start: (order) => step(`start ${order.join(" ")}`, undefined),
    warmUp: (side, seconds) => step(`warm-up ${side} ${seconds}`, undefined),
    slice: (side, seconds) => step(`slice ${side} ${seconds}`, side),
    together: (order, seconds) =>
      step(
        `together ${order.join(" ")} ${seconds}`,
        order.map((side) => `${side} beside`),
      ),
    sharesTime: () => shares,
    slowSec: () => slowSec,
    needsLevel: () => needsLevel,
    needsAlone: () => needsAlone,
    openSlice: latency ? (side) => step(`open slice ${side}`, `open ${side}`) : undefined,
  };
}

describe("a pair", () => {
  it("starts both, warms both up, and loads them in turn", async () => {
    const executor = noting();
    const run = await runPair("base", executor);
    expect(run).toEqual({ state: "measured", slices: "base head head base base head head base".split(" ") });
    const warmUps = ["base 0.2", "head 0.2", "base 0.3", "head 0.3", "base 0.3", "head 0.3"].map(
      (one) => `warm-up ${one}`,
    );
    expect(executor.steps.slice(0, 8)).toEqual(["start base head", ...warmUps, "slice base 0.3"]);
  });

  it("loads both at the same time, and then each side alone once, where they can share it", async () => {
    const executor = noting({ latency: true, shares: true });
    const run = await runPair("head", executor);
    expect(executor.steps).toEqual([
      ...["start head base", "warm-up head 0.2", "warm-up base 0.2"],
      ...["head base", "base head", "base head", "head base"].map((order) => `together ${order} 0.25`),
      ...["slice head 0.25", "slice base 0.25"],
      ...IN_TURN.map((side) => `open slice ${side}`),
    ]);
    expect(run.slices.slice(1, 4)).toEqual(["base beside", "base beside", "head beside"]);
    expect(run.slices.slice(8, 10)).toEqual(["head", "base"]);
  });

  it("warms both up for longer where a request takes long", async () => {
    const executor = noting({ shares: true, needsLevel: false, slowSec: 0.8 });
    await runPair("base", executor);
    const warmUps = executor.steps.filter((step) => step.startsWith("warm-up"));
    expect(warmUps).toEqual(["base 0.2", "head 0.2", "base 0.8", "head 0.8"].map((one) => `warm-up ${one}`));
    const soon = noting({ shares: true, needsLevel: false, slowSec: 0.4 });
    await runPair("base", soon);
    expect(soon.steps.filter((step) => step.startsWith("warm-up"))).toHaveLength(2);
  });

  it("loads no side alone where the row has enough of these slices", async () => {
    const executor = noting({ shares: true, needsLevel: false });
    await runPair("base", executor);
    expect(executor.steps.filter((step) => step.startsWith("slice"))).toEqual([]);
    expect(executor.steps).toHaveLength(7);
  });

  it("has more slices of each side alone where those together do not show the throughput", async () => {
    const executor = noting({ latency: true, shares: true, needsAlone: true });
    await runPair("head", executor);
    expect(executor.steps.slice(9)).toEqual([
      ...IN_TURN.map((side) => `slice ${side} 0.25`),
      ...IN_TURN.map((side) => `open slice ${side}`),
    ]);
  });

  it("ends at a failure at the same time, and keeps what was measured", async () => {
    const run = await runPair("base", noting({ failAt: "together head base 0.25", shares: true }));
    expect(run).toMatchObject(FAILED);
    expect(run.slices).toEqual(["base beside", "head beside"]);
  });

  it("starts the side first that is warmed up and loaded first", async () => {
    const executor = noting();
    await runPair("head", executor);
    expect(executor.steps.filter((step) => step.startsWith("warm-up")).map((step) => step.split(" ")[1])).toEqual(
      "head base head base head base".split(" "),
    );
    expect(executor.steps[7]).toBe("slice head 0.3");
  });

  it("gives both sides the same places: no straight drift favours one", () => {
    for (const first of ["base", "head"] as const) {
      const places = { base: 0, head: 0 };
      for (const [place, side] of sliceOrder(first, 8).entries()) places[side] += place;
      expect(places.base).toBe(places.head);
    }
  });

  it("ends with the slices at a fixed rate, in turn, where latency is asked for", async () => {
    const executor = noting({ latency: true });
    const run = await runPair("head", executor);
    const closed = IN_TURN;
    const open = IN_TURN.map((side) => `open ${side}`);
    expect(run).toEqual({ state: "measured", slices: [...closed, ...open] });
    expect(executor.steps.slice(-9)).toEqual([
      "slice head 0.3",
      ...open.map((side) => side.replace("open", "open slice")),
    ]);
  });

  it("keeps what was measured when a slice at a fixed rate fails", async () => {
    const run = await runPair("base", noting({ failAt: "open slice head", latency: true }));
    expect(run).toMatchObject(FAILED);
    expect(run.slices).toHaveLength(9);
  });

  it.each([
    ["start base head", 0, 1],
    ["warm-up head 0.2", 0, 3],
    ["slice head 0.3", 1, 9],
  ])("ends at a failure: %s", async (failAt, slices, steps) => {
    const executor = noting({ failAt });
    const run = await runPair("base", executor);
    expect(run).toMatchObject(FAILED);
    expect(run.slices).toHaveLength(slices);
    expect(executor.steps).toHaveLength(steps);
  });
});

import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { attempt } from "../../src/measure/server/attempt.js";
import { LinkedAbort } from "../../src/process/linked-abort.js";

describe("a linked abort", () => {
  it("follows the other signal, with its reason, also where that is aborted already", () => {
    const from = new AbortController();
    using early = new LinkedAbort(from.signal);
    expect(early.signal.aborted).toBe(false);
    from.abort("stop");
    using late = new LinkedAbort(from.signal);
    expect([early.signal.reason, late.signal.reason]).toEqual(["stop", "stop"]);
  });

  it("does not abort the other signal, and leaves nothing in it", () => {
    const from = new AbortController();
    {
      using linked = new LinkedAbort(from.signal);
      linked.abort("own");
      expect([linked.signal.reason, from.signal.aborted]).toEqual(["own", false]);
      expect(getEventListeners(from.signal, "abort")).toHaveLength(1);
    }
    expect(getEventListeners(from.signal, "abort")).toEqual([]);
  });
});

it("requests leave nothing in the signal of their run, which lives for hours", async () => {
  const run = new AbortController();
  const probe = { port: 1, method: "GET", path: "/", headers: {}, http: 1, authority: undefined } as const;
  for (let i = 0; i < 20; i += 1) await attempt({ ...probe, body: undefined }, 1000, run.signal);
  expect(getEventListeners(run.signal, "abort")).toEqual([]);
  // Signals that depend on this one: Node keeps them in the signal itself.
  const kept = Object.getOwnPropertySymbols(run.signal).find(({ description }) => description === "kDependantSignals");
  const signals = kept === undefined ? undefined : (run.signal as unknown as Record<symbol, Set<unknown>>)[kept];
  expect(signals?.size ?? 0).toBe(0);
});

/** The harness itself: which trials it makes, that a fault really comes, and that nothing of a fault stays. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../support/cli.js";
import type { Fault } from "./fault.js";
import { FAULTS } from "./faults.js";
import { runTrial } from "./trial.js";
import { trialsOf } from "./trials.js";
import { findBelow } from "./world.js";

const TIMEOUT_MS = 120_000;

test("a trial does not depend on the other faults of the list", () => {
  const [first, ...others] = FAULTS;
  const named = (faults: readonly Fault[]) =>
    new Map(trialsOf(faults, 1, faults.length).map(({ fault, kind, seed }) => [fault.name, `${kind} ${seed}`]));
  const all = named(FAULTS);
  all.delete(first?.name ?? "");
  expect(named(others)).toEqual(all);
});

test("a fault that comes after the end of the tool comes earlier the next time", { timeout: TIMEOUT_MS }, async () => {
  let strikes = 0;
  let late = 0;
  const fault: Fault = {
    name: "too late",
    kinds: ["report"],
    codes: [0],
    // In the place of the tool: it ends long before the usual 900 ms.
    prepare: () => ({ prefix: ["sh", "-c", "sleep 0.2", "ends"] }),
    strike: () => {
      strikes += 1;
    },
  };
  const verdict = await runTrial({ fault, kind: "report", seed: 1 }, () => {
    late += 1;
  });
  expect(late).toBeGreaterThan(0);
  expect(strikes).toBe(1);
  expect(verdict).toMatchObject({ problems: [], struckAtMs: expect.any(Number) });
});

test("what a fault made is removed although its preparation failed", async () => {
  let repaired = false;
  const fault: Fault = {
    name: "half prepared",
    kinds: ["report"],
    codes: [0],
    prepare: () => {
      throw new Error("no room");
    },
    repair: () => {
      repaired = true;
    },
  };
  await expect(runTrial({ fault, kind: "report", seed: 1 }, () => {})).rejects.toThrow("no room");
  expect(repaired).toBe(true);
});

test("the newest of several programs is the one that is wrapped", () => {
  const folder = tempFolder();
  for (const [version, day] of [
    ["a-1.0", 1],
    ["b-2.0", 3],
    ["c-1.5", 2],
  ] as const) {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "oha"), "");
    utimesSync(join(folder, version, "oha"), day * 86_400, day * 86_400);
  }
  expect(findBelow(folder, "oha")).toBe(join(folder, "b-2.0", "oha"));
});

import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { allEnded } from "../src/all-ended.js";

it("has the values in their order", async () => {
  expect(await allEnded([sleep(5, "slow"), "given", sleep(1, "fast")])).toEqual(["slow", "given", "fast"]);
});

it("throws the first error in the order given, and not before all have ended", async () => {
  let ended = false;
  const failing = async (afterMs: number, message: string) => {
    await sleep(afterMs);
    throw new Error(message);
  };
  const slow = sleep(30).then(() => {
    ended = true;
  });
  await expect(allEnded([slow, failing(10, "first"), failing(1, "second")])).rejects.toThrow("first");
  expect(ended).toBe(true);
});

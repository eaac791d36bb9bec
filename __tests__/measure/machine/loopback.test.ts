import { expect, it } from "vitest";
import { parseLoopbackBytes } from "../../../src/measure/machine/loopback.js";

it("reads the loopback device among others", () => {
  const dev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
  eth0: 900  1 0 0 0 0 0 0 77 1 0 0 0 0 0 0
    lo: 1234567890123 42 0 0 0 0 0 0 1234567890123 42 0 0 0 0 0 0
`;
  expect(parseLoopbackBytes(dev)).toBe(1_234_567_890_123);
  expect(parseLoopbackBytes("Inter-|\n eth0: 900 1\n")).toBeUndefined();
  expect(parseLoopbackBytes(undefined)).toBeUndefined();
});

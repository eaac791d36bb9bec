import { expect, it } from "vitest";
import { duration } from "../../src/messages/duration.js";

it.each([
  [0.4, "0 s"],
  [59.4, "59 s"],
  [60, "1 min"],
  [134, "2 min 14 s"],
  [3900, "1 h 5 min"],
  [7190, "2 h 0 min"],
])("%d seconds read %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

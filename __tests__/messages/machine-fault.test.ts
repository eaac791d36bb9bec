/** Errors of the operating system, as Node gives them. */
import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { machineFault } from "../../src/messages/machine-fault.js";

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test.skipIf(!existsSync("/dev/full"))("a full disk is named, with what to do", () => {
  const error = thrownBy(() => writeFileSync("/dev/full", "text"));
  expect(machineFault(error)?.message).toMatch(
    /^the disk is full: free space there, .* \(ENOSPC: no space left on device/,
  );
  expect(machineFault(new Error("wrapped", { cause: error }))?.message).toMatch(/^the disk is full/);
});

test("what may be a defect stays one", () => {
  expect(machineFault(thrownBy(() => writeFileSync("/no/such/folder/file", "text")))).toBeUndefined();
  expect(machineFault(new TypeError("undefined is not a function"))).toBeUndefined();
});

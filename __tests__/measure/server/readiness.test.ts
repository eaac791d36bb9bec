import { describe, expect, it } from "vitest";
import { bodyBytes } from "../../../src/measure/server/body.js";
import { otherPortIn, saysAddressInUse } from "../../../src/measure/server/port.js";
import { testRun } from "../../support/run.js";

it.each([
  ["OSError: [Errno 98] Address already in use", true],
  ["Error: listen EADDRINUSE: address already in use 127.0.0.1:80", true],
  ['Os { code: 98, kind: AddrInUse, message: "Address in use" }', true],
  ["error: Address in use (os error 98)", true],
  ["ModuleNotFoundError: No module named 'app'", false],
])("saysAddressInUse(%j) is %j", (log, says) => {
  expect(saysAddressInUse(log)).toBe(says);
});

it.each([
  ["[Errno 98] error while attempting to bind on address ('0.0.0.0', 8000): address already in use", 8000],
  ["Error: listen EADDRINUSE: address already in use 127.0.0.1:8080", 8080],
  ["bind(): Address already in use, port 5000", 5000],
  ["OSError: [Errno 98] Address already in use", undefined],
  ["[Errno 98] address already in use ('127.0.0.1', 41234)", undefined],
])("otherPortIn(%j) is %j", (log, port) => {
  expect(otherPortIn(log, 41234)).toBe(port);
});

describe("bodyBytes", () => {
  it("makes texts and repetitions", async () => {
    expect(await bodyBytes({ kind: "text", text: "é" }, "/")).toEqual(Buffer.from("é"));
    expect((await bodyBytes({ kind: "repeat", character: "x", sizeBytes: 1024 }, "/")).length).toBe(1024);
  });
  it("names a file that is missing", async () => {
    await using run = testRun();
    const promise = bodyBytes({ kind: "file", name: "media.bin" }, run.tempDir);
    await expect(promise).rejects.toThrow(`cannot read the body media.bin: there is no ${run.tempDir}/media.bin`);
  });
});

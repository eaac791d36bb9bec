import { describe, expect, it } from "vitest";
import { bodyBytes } from "../../../src/measure/server/body.js";
import { listenersIn } from "../../../src/measure/server/listeners.js";
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

describe("listenersIn", () => {
  const line = (address: string) =>
    `  0: ${address}:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 77 1`;
  it.each([
    ["00000000", undefined],
    ["0100007F", undefined],
    ["0200007F", "127.0.0.2"],
    ["00000000000000000000000000000000", undefined],
    ["0000000000000000FFFF00000100007F", undefined],
    ["00000000000000000000000001000000", "[::1]"],
    ["000080FE00000000FF005452B29AFDFE", "an IPv6 address"],
  ])("%s is reached from 127.0.0.1, or named: %j", (address, apart) => {
    const listeners = listenersIn(`  sl  local_address\n${line(address)}\n`, new Set(["77"]));
    expect(listeners).toEqual([{ port: 8080, ...(apart !== undefined && { apart }) }]);
    expect(listenersIn(line(address), new Set(["78"]))).toEqual([]);
  });
});

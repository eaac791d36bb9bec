import { describe, expect, it } from "vitest";
import { bodyBytes } from "../../../src/measure/server/body.js";
import { saysAddressInUse } from "../../../src/measure/server/port.js";
import { difference } from "../../../src/measure/server/readiness.js";
import { testRun } from "../../support/run.js";

describe("difference", () => {
  const expected = { status: 200, body: Buffer.from("hello") };
  const answer = (status: number, body: string) => ({ kind: "answer" as const, status, body: Buffer.from(body) });
  it("is none for the right answer", () => {
    expect(difference(answer(200, "hello"), expected)).toBeUndefined();
  });
  it.each([
    [answer(503, "hello"), "status 503 instead of 200"],
    [answer(200, "help!"), "a body of 5 bytes instead of 5; they differ at byte 3"],
    [answer(200, "hell"), "a body of 4 bytes instead of 5; equal up to byte 4"],
    [answer(200, "hello, you"), "a body of 10 bytes instead of 5; equal up to byte 5"],
    [{ kind: "none" as const, why: "connection refused" }, "connection refused"],
  ])("says how %j is wrong", (seen, words) => {
    expect(difference(seen, expected)).toBe(words);
  });
});

it.each([
  ["OSError: [Errno 98] Address already in use", true],
  ["Error: listen EADDRINUSE: address already in use 127.0.0.1:80", true],
  ['Os { code: 98, kind: AddrInUse, message: "Address in use" }', true],
  ["error: Address in use (os error 98)", true],
  ["ModuleNotFoundError: No module named 'app'", false],
])("saysAddressInUse(%j) is %j", (log, says) => {
  expect(saysAddressInUse(log)).toBe(says);
});

describe("bodyBytes", () => {
  it("makes texts and repetitions", async () => {
    expect(await bodyBytes({ kind: "text", text: "é" }, "/")).toEqual(Buffer.from("é"));
    expect((await bodyBytes({ kind: "repeat", character: "x", sizeBytes: 1024 }, "/")).length).toBe(1024);
  });
  it("names a file that is missing", async () => {
    await using run = testRun();
    const promise = bodyBytes({ kind: "file", name: "media.bin" }, run.tempDir);
    await expect(promise).rejects.toThrow(`cannot read the body media.bin in ${run.tempDir}`);
  });
});

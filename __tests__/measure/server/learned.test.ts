import { describe, expect, it } from "vitest";
import { LearnedAnswers } from "../../../src/measure/server/learned.js";
import type { Answer } from "../../../src/measure/server/probe.js";
import { faultyRow } from "../../support/measure.js";

const { request } = faultyRow("good");
const answer = (body: string, type = "text/html; charset=utf-8"): Answer => ({
  ...{ kind: "answer", status: 200, type },
  body: Buffer.from(body),
});

function learnt(...answers: readonly Answer[]): LearnedAnswers {
  const learned = new LearnedAnswers();
  for (const one of answers) learned.add(request, one);
  return learned;
}

describe("LearnedAnswers", () => {
  it("knows nothing before the first answer", () => {
    expect(learnt().of(request)).toBeUndefined();
  });
  it("expects the exact size of bodies that are all the same", () => {
    expect(learnt(answer("hello"), answer("hello")).of(request)).toEqual({
      ...{ status: 200, type: "text/html" },
      ...{ size: { least: 5, most: 5 }, mayBeEmpty: false },
      digest: "2cf24dba5fb0a30e",
    });
  });
  it("leaves room around the sizes of bodies that vary, also where they had the same size so far", () => {
    expect(learnt(answer("hello"), answer("jello")).of(request)).toMatchObject({
      ...{ size: { least: 1, most: 69 }, digest: undefined },
    });
    const long = learnt(answer("a".repeat(1000)), answer("b".repeat(1200)));
    expect(long.of(request)?.size).toEqual({ least: 880, most: 1320 });
  });
  it("accepts an empty body only where one was right", () => {
    const varies = learnt(answer("hello"), answer("hello, you"));
    varies.ignoreVaryingSizes();
    expect(varies.of(request)).toMatchObject({ size: undefined, mayBeEmpty: false });
    expect(learnt(answer(""), answer("jello")).of(request)).toMatchObject({ size: { least: 0 }, mayBeEmpty: true });
  });
  it("learns no empty body after the warm-up where none of the first was empty", () => {
    const varies = learnt(answer("hello"), answer("hello, you"));
    varies.addLater(request, answer(""));
    varies.addLater(request, answer("hello, all of you"));
    expect(varies.of(request)).toMatchObject({ size: { least: 1, most: 81 }, mayBeEmpty: false });
  });
  it("expects no type where answers have different ones", () => {
    expect(learnt(answer("a"), answer("a", "text/plain")).of(request)?.type).toBeUndefined();
  });
  it("gives up the size of a body that varies, and of no other", () => {
    const varies = learnt(answer("hello"), answer("hello, you"));
    expect([varies.ignoreVaryingSizes(), varies.ignoreVaryingSizes()]).toEqual([true, false]);
    expect(varies.of(request)?.size).toBeUndefined();
    const steady = learnt(answer("hello"), answer("hello"));
    expect(steady.ignoreVaryingSizes()).toBe(false);
    expect(steady.of(request)?.size).toEqual({ least: 5, most: 5 });
  });
});

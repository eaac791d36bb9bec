import { describe, expect, it } from "vitest";
import { answerDifferences, answerNotes } from "../../src/results/answer-notes.js";
import type { ExpectedAnswer } from "../../src/results/answers.js";

const HOME: ExpectedAnswer = {
  request: "home",
  status: 200,
  size: 1000,
  type: "text/html",
  checked: "size",
  learned: true,
};

describe("answerDifferences", () => {
  it.each([
    [{}, []],
    [{ size: 1400 }, ["home: base and head answer differently: 1,000 bytes in base, 1,400 bytes in head"]],
    [
      { status: 201, type: "application/json" },
      [
        "home: base and head answer differently: status 200 in base, 201 in head; type text/html in base, application/json in head",
      ],
    ],
    // A body that varies differs a little every time.
    [{ size: [900, 1100] }, []],
    [
      { size: [2000, 2200] },
      ["home: base and head answer differently: 1,000 bytes in base, 2,000 to 2,200 bytes in head"],
    ],
    [{ request: "other" }, []],
  ] as const)("of head %j are %j", (change, notes) => {
    expect(answerDifferences([HOME], [{ ...HOME, ...change } as ExpectedAnswer])).toEqual(notes);
  });
  it.each([
    // The size of a learned body that varies too much.
    [{}, { size: undefined, checked: "none" }, []],
    [{ learned: undefined }, { size: undefined, checked: "none", learned: undefined }, ["any size"]],
    [{}, { size: undefined, checked: "none", learned: undefined }, ["any size"]],
    [{ checked: "exact", learned: undefined }, { size: [1, 9000], learned: undefined }, ["1 to 9,000 bytes"]],
    [{ checked: "json", learned: undefined }, { checked: "regex", learned: undefined }, []],
    [{ size: [1, 9000], learned: undefined }, { size: [1, 9000], learned: undefined }, []],
  ] as const)("of base %j see what head's file %j lets through", (base, head, sizes) => {
    const answer = (change: object) => ({ ...HOME, ...change }) as ExpectedAnswer;
    expect(answerDifferences([answer(base)], [answer(head)])).toEqual(
      sizes.map(
        (size) => `home: base and head answer differently: bodies of 1,000 bytes are right in base, of ${size} in head`,
      ),
    );
  });

  it("see other content of the same size", () => {
    expect(answerDifferences([{ ...HOME, digest: "a" }], [{ ...HOME, digest: "b" }])).toEqual([
      "home: base and head answer differently: bodies of the same size with other content",
    ]);
  });
});

describe("answerNotes", () => {
  it("say what was not checked, and which sizes count", () => {
    expect(
      answerNotes([
        HOME,
        { request: "any", status: 200, checked: "none" },
        { request: "grows", status: 200, checked: "none", learned: true },
        { ...HOME, size: [900, 1100] },
        { request: "given", status: 200, size: [1, 2], checked: "size" },
      ]),
    ).toEqual([
      "any: bodies not checked.",
      "grows: bodies not checked, because their size varies too much under load.",
      "home: the body varies; 900 to 1,100 bytes count as right.",
    ]);
  });
});

/** The answer of the script that looks at an app: whole, or none. */
import { expect, it } from "vitest";
import { parseAnswer } from "../../src/measure/preparation/app-import.js";

it("reads a whole answer", () => {
  const answer = { state: "no-callable", type: "int", callables: [] };
  expect(parseAnswer(JSON.stringify(answer))).toEqual(answer);
});

it.each([["" /* the disk was full */], ['{"state": "fou'], ['{"state": "found"}'], ["null"], [undefined]])(
  "takes %j as no answer",
  (text) => {
    expect(parseAnswer(text)).toBeUndefined();
  },
);

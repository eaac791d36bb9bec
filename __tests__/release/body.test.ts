import { describe, expect, it } from "vitest";
import { BEGIN, bodyWith, END, findPlace, roomIn } from "../../src/release/body.js";

function written(body: string, text = "New"): string {
  const place = findPlace(body);
  if (place.kind === "broken") throw new Error(place.reason);
  return bodyWith(place, text);
}

const BLOCK = `${BEGIN}\n\nNew\n\n${END}`;

describe("the benchmarks in a body", () => {
  it.each([
    ["an empty body", "", BLOCK],
    ["a body without markers", "Notes", `Notes\n\n${BLOCK}`],
    ["a line end at its end", "Notes\n", `Notes\n\n${BLOCK}`],
    ["an empty line at its end", "Notes\n\n", `Notes\n\n${BLOCK}`],
    ["CRLF", "Notes\r\n\r\n- one\r\n", `Notes\r\n\r\n- one\r\n\n${BLOCK}`],
    ["markers in the middle", `A\n${BEGIN}\nold\n${END}\nB`, `A\n${BLOCK}\nB`],
    ["markers with CRLF", `A\r\n${BEGIN}\r\n\r\nold\r\n${END}\r\n\r\nB\r\n`, `A\r\n${BLOCK}\r\n\r\nB\r\n`],
    ["markers without anything between", `${BEGIN}\n${END}`, BLOCK],
    ["blanks around markers", `  ${BEGIN} \nold\n\t${END}\t`, `  ${BLOCK}\t`],
    ["a marker inside of a line, which is none", `Use ${BEGIN} and ${END}`, `Use ${BEGIN} and ${END}\n\n${BLOCK}`],
  ])("%s", (_, body, expected) => {
    expect(written(body)).toBe(expected);
    // Again: nothing moves.
    expect(written(expected)).toBe(expected);
  });

  it.each([
    ["no end", `A\n${BEGIN}\nB`, /needs the line .*begin.* before the line .*end/],
    ["no begin", `A\n${END}\nB`, /needs the line/],
    ["the end first", `${END}\nA\n${BEGIN}`, /needs the line/],
    ["two of them", `${BEGIN}\nA\n${END}\n${BEGIN}\nB\n${END}`, /a marker twice/],
  ])("are refused by markers with %s", (_, body, reason) => {
    expect(findPlace(body)).toMatchObject({ kind: "broken", reason: expect.stringMatching(reason) });
  });

  it("have the room that the rest of the body leaves", () => {
    const place = findPlace("x".repeat(900));
    if (place.kind === "broken") throw new Error(place.reason);
    const room = roomIn(place, 1000);
    expect(bodyWith(place, "y".repeat(room))).toHaveLength(1000);
  });
});

/** Which known name an unknown one is probably meant to be. */
import { expect, it } from "vitest";
import { didYouMean } from "../../src/plan/nearest.js";

const ROWS = [
  "all/asgi-uvicorn-h11",
  "all/wsgi-gunicorn-gthread-parser-fast-worker-gthread",
  "all/wsgi-waitress",
  "all/wsgi-waitress-slow",
];

it.each([
  ["wsgi-gunicorn-gthread with its end cut off", "all/wsgi-gunicorn-gthread", ROWS[1]],
  ["the shortest of several that begin so", "all/wsgi-wait", ROWS[2]],
  ["one that has it in the middle", "gunicorn-gthread", ROWS[1]],
  ["whatever its letters' case", "ALL/WSGI-GUNICORN", ROWS[1]],
  ["a wrong letter", "all/wsgi-waitres", ROWS[2]],
])("is %s", (_, name, expected) => {
  expect(didYouMean(name, ROWS)).toBe(`; did you mean "${expected}"?`);
});

it("is none for another word, for one or two letters, and where nothing is known", () => {
  expect(didYouMean("postgres", ROWS)).toBe("");
  expect(didYouMean("al", ROWS)).toBe("");
  expect(didYouMean("fast", [])).toBe("");
});

import { describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import {
  type CommentMarker,
  checkCommentKey,
  compareMarkers,
  formatMarker,
  parseMarker,
} from "../../src/github/comment-marker.js";

const LINE = "<!-- server-bench key=default run=123 attempt=1 phase=done -->";
const MARKER: CommentMarker = { key: "default", run: { id: 123, attempt: 1 }, phase: "done" };

describe("checkCommentKey", () => {
  it.each(["default", "a", "0", "http2-files", "a".repeat(50), "a--"])("takes %s", (key) => {
    expect(checkCommentKey(key)).toBe(key);
  });

  it.each(["", "-a", "A", "ä", "a b", "a_b", "a.b", "a\n", "a".repeat(51), "a --><script>", "a run=9"])(
    "refuses %j",
    (key) => {
      expect(() => checkCommentKey(key)).toThrow(InputError);
      expect(() => checkCommentKey(key)).toThrow(`invalid comment-key ${JSON.stringify(key)}: use 1 to 50 of a-z`);
    },
  );
});

describe("formatMarker", () => {
  it("is one line of HTML comment, which parseMarker reads", () => {
    expect(formatMarker(MARKER)).toBe(LINE);
    expect(parseMarker(LINE)).toEqual(MARKER);
    const measuring: CommentMarker = {
      key: "a-1",
      run: { id: Number.MAX_SAFE_INTEGER, attempt: 12 },
      phase: "measuring",
    };
    expect(parseMarker(formatMarker(measuring))).toEqual(measuring);
  });

  it.each([
    { ...MARKER, key: "x -->" },
    { ...MARKER, run: { id: 0, attempt: 1 } },
    { ...MARKER, run: { id: 1.5, attempt: 1 } },
    { ...MARKER, run: { id: Number.NaN, attempt: 1 } },
    { ...MARKER, run: { id: 1, attempt: -1 } },
  ])("refuses what could not be read back: %j", (marker) => {
    expect(() => formatMarker(marker)).toThrow(RangeError);
  });
});

describe("parseMarker", () => {
  it("looks at the first line alone", () => {
    expect(parseMarker(`${LINE}\nText`)).toEqual(MARKER);
    expect(parseMarker(`${LINE}\r\nText, edited in a browser`)).toEqual(MARKER);
    expect(parseMarker(`Text\n${LINE}`)).toBeUndefined();
    expect(parseMarker(`\n${LINE}`)).toBeUndefined();
  });

  it.each([
    "",
    ` ${LINE}`,
    `${LINE} `,
    `${LINE}${LINE}`,
    `> ${LINE}`,
    LINE.replace("run=123", "run=0123"),
    LINE.replace("run=123", "run=0"),
    LINE.replace("run=123", "run=-1"),
    LINE.replace("run=123", "run=1e9"),
    LINE.replace("run=123", "run=9007199254740993"),
    LINE.replace("run=123", "run=١٢٣"),
    LINE.replace("attempt=1", "attempt="),
    LINE.replace("phase=done", "phase=failed"),
    LINE.replace("default", "Default"),
    LINE.replace("default", "a".repeat(51)),
    LINE.replace(" run=", "  run="),
    LINE.replace("server-bench", "server-bench-2"),
    LINE.toUpperCase(),
  ])("takes nothing else: %j", (line) => {
    expect(parseMarker(line)).toBeUndefined();
  });
});

describe("compareMarkers", () => {
  it("orders by run, attempt and phase, as numbers", () => {
    const of = (id: number, attempt: number, phase: CommentMarker["phase"]): CommentMarker => ({
      key: "default",
      run: { id, attempt },
      phase,
    });
    const ordered = [of(9, 1, "measuring"), of(9, 1, "done"), of(9, 2, "measuring"), of(10, 1, "measuring")];
    for (const [i, a] of ordered.entries()) {
      for (const [j, b] of ordered.entries()) expect(Math.sign(compareMarkers(a, b))).toBe(Math.sign(i - j));
    }
  });
});

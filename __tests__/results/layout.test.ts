/** Where the lines of a results file end: readable, and little larger than without. */
import { describe, expect, it } from "vitest";
import { formatResults, piecesOf } from "../../src/results/layout.js";
import type { Results } from "../../src/results/schema.js";

/** The layout knows nothing of the schema's names. */
function text(value: unknown): string {
  return formatResults(value as Results);
}

function pieces(value: unknown): string[] {
  return [...piecesOf(value as Results)];
}

const SLICE = { seconds: 0.25, failures: { total: 0, byKind: {} } };

describe("a results file", () => {
  it("has on one line what fits there, and a slice on each", () => {
    const long = ["first", "second"].map((word) => word.repeat(12));
    const value = {
      schema: "results",
      left: undefined,
      finishedAt: null,
      run: { warnings: long, tool: { version: "1" } },
      cases: [{ id: "a", slices: [SLICE, SLICE, SLICE], server: { name: "granian" } }],
    };
    expect(text(value)).toBe(`{
  "schema": "results",
  "finishedAt": null,
  "run": {
    "warnings": [
      "${long[0]}",
      "${long[1]}"
    ],
    "tool": {"version":"1"}
  },
  "cases": [
    {
      "id": "a",
      "slices": [
        {"seconds":0.25,"failures":{"total":0,"byKind":{}}},
        {"seconds":0.25,"failures":{"total":0,"byKind":{}}},
        {"seconds":0.25,"failures":{"total":0,"byKind":{}}}
      ],
      "server": {"name":"granian"}
    }
  ]
}
`);
  });

  it("keeps a value of 120 columns on a line, its indentation included, and breaks a longer one", () => {
    const columns = 120 - '  [""]'.length;
    const lineOf = (word: string) => text({ of: [word], list: [{}] }).split("\n")[1];
    expect(lineOf("x".repeat(columns))).toBe(`  "of": ["${"x".repeat(columns)}"],`);
    expect(lineOf("x".repeat(columns + 1))).toBe('  "of": [');
  });

  it("has a figure on one line however long it is, and breaks the lists above it", () => {
    const figure = { name: "x".repeat(200), of: [1, 2] };
    const lines = text({ rows: [{ id: "a", pairs: [figure] }] }).split("\n");
    expect(lines).toContain(`        ${JSON.stringify(figure)}`);
    const above = text({ rows: [[{ name: "x".repeat(200) }]] }).split("\n");
    expect(above).toContain(`        "name": "${"x".repeat(200)}"`);
  });
});

describe("its pieces", () => {
  it("are together the text without its last line end", () => {
    const value = { schema: "results", cases: [{ id: "a", slices: [SLICE] }, { id: "b" }], none: [] };
    expect(`${pieces(value).join("")}\n`).toBe(text(value));
  });

  it("begin anew with each field of a row that has records, so that none of them is large", () => {
    expect(
      pieces({
        version: 1,
        cases: [
          { id: "a", slices: [{ of: 1 }] },
          { id: "b", tags: ["t"] },
        ],
      }),
    ).toEqual([
      ...['{\n  "version": ', "1"],
      ...[',\n  "cases": ', "[\n    "],
      ...['{\n      "id": ', '"a"', ',\n      "slices": ', '[{"of":1}]', "\n    }"],
      ...[",\n    ", '{"id":"b","tags":["t"]}', "\n  ]", "\n}"],
    ]);
  });
});

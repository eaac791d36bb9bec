import { describe, expect, it } from "vitest";
import { columnSides } from "../../../src/report/text/column-sides.js";
import { markdownGrid } from "../../../src/report/text/markdown.js";
import { renderGfm } from "../../support/gfm.js";

describe("columnSides", () => {
  it.each([
    ["90119"],
    ["≥ 90119"],
    ["50302 ~"],
    ["2.841ms"],
    ["-7.0 %"],
    ["+0.2 % ±1.2 % (4.1 %)"],
    ["20153 → 18742 req/s"],
    ["20153\u00A0→\u00A018742\u00A0req/s"],
    ["49.41 µs"],
    ["3 of 300"],
    ["7 pairs, 21 s"],
    ["&lt; 0.1 %"],
    ["**48000**"],
  ])("puts %s to the right", (cell) => {
    expect(columnSides(2, [["row", cell]])).toEqual(["left", "right"]);
  });

  it.each([
    ["worse"],
    ["throughput -7.0 % ±1.2 %"],
    ["c256"],
    ["stored results"],
    ["9b1d0c7e"],
    ["2 workers"],
    ["v1.2.3"],
  ])("leaves %s at the left", (cell) => expect(columnSides(2, [["row", cell]])).toEqual(["left", "left"]));

  it("skips cells without a figure, and a column that has no other ones stays left", () => {
    expect(
      columnSides(4, [
        ["a", "N/A", "N/A", ""],
        ["b", "7", "N/A", ""],
      ]),
    ).toEqual(["left", "right", "left", "left"]);
  });

  it("leaves a column with one word at the left, and the first column", () => {
    expect(
      columnSides(2, [
        ["1", "7"],
        ["2", "none"],
      ]),
    ).toEqual(["left", "left"]);
  });

  it("takes no time for a long hostile cell", () => {
    const started = performance.now();
    for (const cell of [")", " ", "1,", "( 1", "1 of "]) columnSides(2, [["row", `1${cell.repeat(100_000)}x`]]);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("markdownGrid", () => {
  it.each([true, false])("is a table with right-aligned figures on GitHub (padded: %s)", (padded) => {
    const html = renderGfm(
      markdownGrid(
        ["Benchmark", "Verdict", "RPS"],
        [
          ["a", "worse", "7"],
          ["b", "better", "12.5"],
        ],
        { padded },
      ),
    );
    expect(html).toContain('<td>worse</td>\n<td align="right">7</td>');
    expect(html).toContain('<th align="right">RPS</th>');
  });
});

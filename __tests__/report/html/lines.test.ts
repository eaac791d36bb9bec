/** The lines of a row's figures over its concurrencies. */
import { expect, it } from "vitest";
import { linesView } from "../../../src/report/html/lines.js";

it("has a caption whose sentences are apart", () => {
  const series = Array.from({ length: 9 }, (_, i) => ({ name: `row ${i}`, values: [1, 1000] }));
  const chart = { title: "More is better.", places: ["64", "128"], across: "connections", series };
  expect(linesView(chart).text).toContain(
    "<figcaption>More is better. Logarithmic axis. The first 8 of 9 rows are drawn.</figcaption>",
  );
});

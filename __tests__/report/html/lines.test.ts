/** The lines of a row's figures over its concurrencies. */
import { expect, it } from "vitest";
import { linesView } from "../../../src/report/html/lines.js";

it("has a caption whose sentences are apart", () => {
  const series = Array.from({ length: 9 }, (_, i) => ({ name: `row ${i}`, values: [1, 1000] }));
  const chart = { title: "More is better.", places: ["64", "128"], across: "connections", series };
  expect(linesView({ ...chart, order: "speed" }).text).toContain(
    "<figcaption>More is better. Logarithmic axis. The 8 fastest of 9 benchmarks are drawn.</figcaption>",
  );
  expect(linesView({ ...chart, order: "table" }).text).toContain("The first 8 of 9 benchmarks are drawn.</figcaption>");
});

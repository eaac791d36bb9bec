/** Files of before the first release stay readable. */
import { expect, it } from "vitest";
import { withCurrentNames } from "../../src/results/earlier-names.js";
import { formatResults } from "../../src/results/layout.js";
import { parseResults } from "../../src/results/read.js";
import { compared, comparison, notCompared } from "../support/comment.js";
import { sampleResults } from "../support/results.js";

const row = { ...compared("interfaces/a", "worse"), basis: ["cpuPerRequest"] };
const of = comparison([row], {
  selectedMetrics: ["cpu"],
  controls: [row],
  notCompared: [notCompared("interfaces/b", "new")],
});
const now = {
  ...sampleResults(),
  comparison: of,
  furtherMetrics: [{ id: "interfaces/c", title: "C" }],
};

it("reads the names of before the first release as those of now", () => {
  const text = formatResults(now);
  const earlier = [
    ["basis", "standsOn"],
    ["selectedMetrics", "asked"],
    ["notCompared", "apart"],
    ["furtherMetrics", "witnesses"],
  ].reduce((all, [name, was]) => all.replaceAll(`"${name}"`, `"${was}"`), text);
  expect(earlier).not.toMatch(/basis|selectedMetrics|notCompared|furtherMetrics/);
  expect(parseResults(earlier, "results.json")).toEqual(parseResults(text, "results.json"));
});

it.each([null, 1, "text", [], { comparison: 1 }, { comparison: { rows: [1, null], controls: {} } }])(
  "leaves what is no results file as it is: %j",
  (value) => {
    expect(withCurrentNames(structuredClone(value))).toEqual(value);
  },
);

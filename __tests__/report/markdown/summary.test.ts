/** A step's summary fits GitHub's limit by leaving out whole parts: nothing is open where it ends. */
import { describe, expect, it } from "vitest";
import { renderReport, renderSummary } from "../../../src/report/markdown/report.js";
import type { Results } from "../../../src/results/schema.js";
import { builtInResults, compared, comparison, notCompared, sampleFacts } from "../../support/comment.js";
import { sampleComparison } from "../../support/comparison.js";
import { renderGfm, tablesOf } from "../../support/gfm.js";
import { expectBalanced } from "../../support/hostile.js";
import { pagedResults } from "../../support/page.js";
import { completed, failed, interfacesSet, resultsOf, sampleResults } from "../../support/results.js";

const MIB = 1024 * 1024;

/** What follows a summary on GitHub's page must not be part of it. */
function expectClosed(markdown: string): void {
  const html = renderGfm(`${markdown}\nWhat comes next.\n`);
  expectBalanced(html);
  expect(html).toMatch(/<p>What comes next\.<\/p>\s*$/);
  const outside = html.replace(/<details[^>]*>.*<\/details>/gs, "");
  expect(outside).toContain("<p>What comes next.</p>");
  for (const table of tablesOf(html)) expect(new Set(table.map((row) => row.length)).size).toBe(1);
}

function large(): Results {
  const sets = Array.from({ length: 40 }, (_, i) => ({ ...interfacesSet, name: `set-${i}`, title: `Set ${i}` }));
  const cases = sets.flatMap(({ name }) => [
    ...Array.from({ length: 60 }, (_, i) => completed(`${name}/row-${i}`, `${name} benchmark ${i}`, 256, 10_000 + i)),
    failed(`${name}/broken`, "Broken", 256, { log: `${"x".repeat(200)}\n`.repeat(30) }),
  ]);
  const rows = cases.map(({ id, title }, i) => compared(id, i % 3 === 0 ? "worse" : "unchanged", { title }));
  return { ...resultsOf(cases, { sets }), comparison: comparison(rows) };
}

describe("a step's summary", () => {
  it("is the report where that fits", () => {
    const { results } = sampleFacts();
    expect(renderSummary(results)).toBe(renderReport(results));
  });

  it.each([
    ["every benchmark with its interval, every pair and the charts", pagedResults(1)],
    ["every benchmark with its interval and the charts", sampleComparison()],
    ["all figures and the charts", sampleResults()],
  ])("says of the page that it has %s", (what, results) => {
    expect(renderSummary(results, { pageUrl: "https://example.org/page" })).toContain(
      `[The page](https://example.org/page) has ${what}.\n`,
    );
  });

  it("fits 1 MiB, whatever there is, and names what it left out", () => {
    const results = large();
    expect(Buffer.byteLength(renderReport(results))).toBeGreaterThan(MIB);
    const markdown = renderSummary(results, { artifactUrl: "https://github.com/octo/app/actions/runs/7/artifacts/5" });
    expect(Buffer.byteLength(markdown)).toBeLessThan(MIB);
    expect(markdown).toContain("Left out, because GitHub limits the length of a summary: the evidence");
    expect(markdown).toContain("The whole report is `report.md`, among [the results](https://github.com/octo/app/");
    expectClosed(markdown);
  });

  it("ends with nothing open at any limit", async () => {
    const built = await builtInResults((id) => (id.startsWith("interfaces/") ? "worse" : "unchanged"));
    const sample = sampleFacts().results;
    const apartRows = Array.from({ length: 200 }, (_, i) =>
      notCompared(`interfaces/r-${i}`, "failed-in-head", `why ${i}`),
    );
    const many = {
      ...sampleResults(),
      run: { ...sampleResults().run, warnings: Array.from({ length: 50 }, (_, i) => `warning ${i}`) },
      comparison: comparison(sample.comparison?.rows ?? [], { notCompared: apartRows }),
    };
    for (const [results, steps] of [
      [built, 8],
      [sample, 30],
      [many, 20],
    ] as const) {
      const whole = Buffer.byteLength(renderReport(results));
      for (let limit = whole + 100; limit > 2500; limit -= Math.ceil(whole / steps)) {
        const markdown = renderSummary(results, {}, limit);
        expect(Buffer.byteLength(markdown), `at ${limit}`).toBeLessThanOrEqual(limit);
        expectClosed(markdown);
        expect(markdown).toContain(results === built ? "are slower, " : "is slower, by 7.0 %; ");
      }
    }
  });

  it("keeps the verdict and as many changes as there is room for", () => {
    const markdown = renderSummary(large(), {}, 20_000);
    expect(markdown).toMatch(/\*\*\d+ of 2440 benchmarks are slower/);
    const shown = (tablesOf(renderGfm(markdown))[0]?.length ?? 1) - 1;
    expect(shown).toBeGreaterThan(50);
    expect(markdown).toMatch(/and \d+ more changes/);
    expectClosed(markdown);
  });
});

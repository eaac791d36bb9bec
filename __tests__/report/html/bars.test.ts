/** Bars with base beside head: base stands on the side that the verdict has. */
import { expect, it } from "vitest";
import { renderPage } from "../../../src/report/html/page.js";
import type { Results } from "../../../src/results/schema.js";
import { pagedResults } from "../../support/page.js";

/** Its bars' head and base, by the name of the row. */
function barsOf(results: Results): Map<string, { head: number; base: number }> {
  const found = renderPage(results).matchAll(/<title>([^:<]+): (?:≥ )?([\d.]+)[^<]*, base ([\d.]+)<\/title>/g);
  return new Map([...found].map(([, name = "", head, base]) => [name, { head: Number(head), base: Number(base) }]));
}

it("show the change of the verdict, whatever a case's own slices say", () => {
  const results = pagedResults(1);
  const compared = results.comparison?.rows ?? [];
  // As if the slices that a case is pooled from had been in a slow second.
  const slowed = results.cases.map((result) =>
    result.state === "completed" && result.side === "head"
      ? { ...result, summary: { ...result.summary, requestsPerSec: result.summary.requestsPerSec * 0.9 } }
      : result,
  );
  const bars = barsOf({ ...results, cases: slowed });
  expect(bars.size).toBe(compared.length);
  for (const row of compared) {
    const { head = 0, base = 1 } = bars.get(`${row.title} (c${row.connections})`) ?? {};
    expect(head / base - 1, row.title).toBeCloseTo(row.metrics.throughput?.change ?? 0, 2);
  }
});

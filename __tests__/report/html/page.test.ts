/** The page as text: its order, what foreign text can do in it, and that it is whole for every kind of results. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderPage } from "../../../src/report/html/page.js";
import { releaseLead } from "../../../src/report/release/lead.js";
import type { ComparedRow, Comparison } from "../../../src/results/comparison.js";
import type { Results } from "../../../src/results/schema.js";
import { compared, comparison, hostileFacts, notCompared, ORIGIN, sampleFacts } from "../../support/comment.js";
import { sampleComparison } from "../../support/comparison.js";
import { HOSTILE, randomTexts } from "../../support/hostile.js";
import { pagedResults } from "../../support/page.js";
import { completed, failed, interfacesSet, resultsOf, type SetInfo, sampleResults } from "../../support/results.js";

const PAGES: readonly (readonly [string, Results])[] = [
  ["results without a comparison", sampleResults()],
  ["stored results", sampleComparison()],
  ["pairs", pagedResults()],
  ["every kind of row", sampleFacts().results],
];

/** Elements in the order in which they open, without those of our own plots. */
function elements(page: string): string[] {
  return [...page.matchAll(/<([a-z][\w-]*)/gi)].map(([, name = ""]) => name.toLowerCase());
}

function dataOf(page: string) {
  const text = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(page)?.[1] ?? "";
  return JSON.parse(text);
}

describe("renderPage", () => {
  it.each(PAGES)("has no link, style or script but its own, of %s", (_, results) => {
    const page = renderPage(results, { origin: ORIGIN });
    const known = new Set(["https://github.com/octo/app/commit"]);
    for (const [, address = ""] of page.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(address.startsWith("#") || known.has(address.slice(0, address.lastIndexOf("/"))), address).toBe(true);
    const markup = page.replace(/<script>.*?<\/script>/s, "");
    expect(/\sstyle=|\son\w+=|undefined|NaN|\[object/.exec(markup)?.[0]).toBeUndefined();
    expect(elements(page).filter((name) => name === "script")).toHaveLength(2);
  });
  it("allows its own style and script by their hashes alone", () => {
    const page = renderPage(sampleResults());
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll("&#39;", "'") ?? "";
    const hash = (text = "") => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src ${hash(/<style>(.*?)<\/style>/s.exec(page)?.[1])};`);
    expect(policy).toContain(`script-src ${hash(/<script>(.*?)<\/script>/s.exec(page)?.[1])};`);
    expect(policy).not.toContain("unsafe");
  });
  it("leads with the verdict, then warnings, every row, what changed, sets, method", () => {
    const page = renderPage(pagedResults());
    const places = [
      "<h1>",
      "Warning:",
      "Every benchmark",
      "What changed",
      "Sets",
      "How it was measured",
      '<h2 id="data"',
    ];
    const at = places.map((text) => page.indexOf(text, page.indexOf("<body>")));
    expect(at.every((place) => place > 0)).toBe(true);
    expect(at).toEqual([...at].sort((a, b) => a - b));
  });
  it("counts the rows that have notes, not their notes", () => {
    const notes = ["the machine was disturbed", "12 failed requests in head, none in base"];
    const rows = [
      compared("interfaces/a", "inconclusive", { notes }),
      compared("interfaces/b", "unchanged", { notes: ["12 failed requests in head, none in base"] }),
    ];
    expect(renderPage({ ...sampleResults(), comparison: comparison(rows) })).toContain(
      "<summary>Notes on 2 unchanged or inconclusive benchmarks</summary>",
    );
    expect(renderPage({ ...sampleResults(), comparison: comparison(rows.slice(0, 1)) })).toContain(
      "<summary>Notes on 1 unchanged or inconclusive benchmark</summary>",
    );
  });
  it("has an anchor for every link, and each id once", () => {
    for (const [, results] of PAGES) {
      const page = renderPage(results);
      const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
    }
  });
  it("names a release in its title", () => {
    const titleOf = (page: string) => /<title>(.*?)<\/title>/s.exec(page)?.[1];
    const headline = titleOf(renderPage(pagedResults()));
    expect(headline).toMatch(/^1 of 20 benchmarks is slower/);
    const release = { tag: "v1<b>", previous: "v1.0.0" };
    for (const index of [undefined, "../index.html"])
      expect(titleOf(renderPage(pagedResults(), { lead: releaseLead(release, index) }))).toBe(
        `Benchmarks of v1&lt;b&gt; compared with v1.0.0: ${headline}`,
      );
  });
  it("says why nothing changed", () => {
    const changed = (of: Partial<Comparison>, rows: readonly ComparedRow[] = []) => {
      const page = renderPage({ ...sampleResults(), comparison: comparison(rows, of) });
      return /<h2 id="changed">What changed<\/h2>\s*<p>(.*?)<\/p>/s.exec(page)?.[1];
    };
    const open = compared("interfaces/a", "inconclusive");
    expect(changed({}, [open, open])).toBe("No benchmark could be decided.");
    expect(changed({}, [open, compared("interfaces/b", "unchanged")])).toBe("No change found in 2 benchmarks.");
    expect(changed({ notCompared: [notCompared("interfaces/a", "failed-in-head")] })).toBe(
      "No benchmark was measured in base and head; 1 benchmark failed in head only.",
    );
    expect(changed({ notCompared: [notCompared("interfaces/a", "cannot-have-changed")] })).toBe(
      "All benchmarks are identical on both sides.",
    );
  });
  it("draws each chart that the set asks for", () => {
    const cases = [
      completed("interfaces/a", "A", 64, 1000, { summary: { clientBound: true } }),
      completed("interfaces/b", "B", 64, 2000),
      failed("interfaces/c", "C", 64),
    ];
    const set: SetInfo = { ...interfacesSet, columns: ["rps", "requests"], charts: ["rps", "requests"] };
    const page = renderPage(resultsOf(cases, { sets: [set] }));
    const captions = [...page.matchAll(/<figure class="bars"><figcaption>([^<]*)/g)].map(([, text = ""]) =>
      text.trim(),
    );
    expect(captions).toEqual([
      `${set.title}: requests per second, more is better.`,
      `${set.title}: requests served in 10 seconds, more is better.`,
    ]);
    const [, chart = ""] = page.split("requests served in 10 seconds");
    expect([...chart.matchAll(/class="figures">(.*?)</g)].map(([, text = ""]) => text.trim())).toEqual([
      "≥ 10000",
      "20000",
      "N/A: failed",
    ]);
    expect(chart).toContain("A (c64): ≥ 10000, client-bound");
  });
  it("shows every pair of a changed row", () => {
    const results = pagedResults();
    const changed = results.comparison?.rows.filter(({ verdict }) => verdict === "worse" || verdict === "better") ?? [];
    const dots = changed.flatMap((row) => Object.values(row.metrics).map(({ pairs }) => pairs));
    const plots = renderPage(results).match(/<figure class="pairs">.*?<\/figure>/gs) ?? [];
    expect(changed.length).toBeGreaterThan(0);
    // One more of each is the key.
    expect(plots.map((plot) => (plot.match(/#m-base"/g) ?? []).length - 1)).toEqual(dots);
  });
  it("marks failed, client-bound and disturbed rows", () => {
    const page = renderPage(pagedResults());
    expect(page).toMatch(/class="bar bound"[^>]*>/);
    expect(page).toMatch(/class="bar disturbed"/);
    expect(page).toContain("N/A: failed");
  });
  it("draws every percentile column of a set, 99.9 % included", () => {
    const latencyMs = { mean: 1, p50: 1, p75: 1, p90: 2, p95: 2, p99: 3, p999: 8, max: 20 };
    const cases = [completed("interfaces/a", "A", 64, 1000, { summary: { latencyMs } })];
    const set: SetInfo = { ...interfacesSet, columns: ["rps", "p50", "p99", "p99.9", "p100"] };
    const [plot = ""] =
      /<figure class="lines">.*?<\/figure>/s.exec(renderPage(resultsOf(cases, { sets: [set] }))) ?? [];
    for (const place of ["50%", "99%", "99.9%", "100%"]) expect(plot).toContain(`>${place}</text>`);
  });
  it("puts what could not be compared first", () => {
    const sample = sampleResults();
    const run = { ...sample.run, nothingToCompare: { kind: "event" as const, reason: "a push has no base" } };
    const page = renderPage({ ...sample, run });
    expect(page.indexOf("Nothing to compare with:")).toBeLessThan(page.indexOf('id="sets"'));
  });
  it("embeds the figures as whole numbers with their factors", () => {
    const results = pagedResults();
    const { cases, comparison } = dataOf(renderPage(results));
    const column = cases.columns.findIndex(({ name }: { name: string }) => name === "requestsPerSec");
    const [first] = results.cases;
    expect(cases.rows).toHaveLength(results.cases.length);
    expect(cases.rows[0][column] / cases.columns[column].factor).toBeCloseTo(
      first?.state === "completed" ? first.summary.requestsPerSec : 0,
    );
    const [index, base, head] = comparison.pairs.rows[0];
    expect(comparison.metrics.rows[index][0]).toBe("paired-1/row-1");
    expect(base.length).toBe(head.length);
    expect(base[0] / comparison.pairs.factor).toBeGreaterThan(15_000);
  });
});

describe("foreign text", () => {
  const marked = [
    "</title><script>alert(1)</script>",
    '" onload="x',
    "'><img src=x>",
    "</script><!--",
    "javascript:alert(1)",
  ];
  it.each([...HOSTILE, ...marked, ...randomTexts(60, 5)])("is text and nothing else: %j", (text) => {
    const page = renderPage(hostileFacts(() => text).results, { origin: ORIGIN });
    const plain = renderPage(hostileFacts(() => "plain").results, { origin: ORIGIN });
    const count = (of: string) =>
      elements(of).filter((name) => !["code", "br", "p", "option", "label", "select", "figure"].includes(name));
    const own = new Set(elements(plain));
    expect(count(page).filter((name) => !own.has(name))).toEqual([]);
    expect(elements(page).filter((name) => name === "script")).toHaveLength(2);
    expect(
      /\son\w+="|<img|<!--|href="(?!#|https:\/\/github\.com\/octo\/app\/commit\/)/.exec(page)?.[0],
    ).toBeUndefined();
    // Line breaks are our own, and a log keeps its indentation.
    expect(/[^\P{C}\n\t\u200d]/u.exec(page)?.[0]).toBeUndefined();
    expect(dataOf(page).run.warnings).toEqual([text]);
  });
  it("of a pull request's own run is withheld, as in the report", () => {
    const { results } = sampleFacts();
    const warnings = ["Read https://evil.example"];
    const claimed = { ...results, run: { ...results.run, warnings } };
    const page = renderPage(claimed, { trust: { kind: "pull-request-run", head: "verified", base: "verified" } });
    expect(page).toContain("Measured by the pull request&#39;s own run");
    expect(page).toContain("Not repeated here");
    expect(/evil|node dist|AMD Ryzen|Copy the command to|RSGI bytes/.exec(page)?.[0]).toBeUndefined();
  });
});

describe("a large page", () => {
  it("stays small", () => {
    const cases = Array.from({ length: 50 }, (_, i) => completed(`interfaces/row-${i}`, `Row ${i}`, 64, 9000 + i));
    expect(Buffer.byteLength(renderPage(resultsOf(cases)))).toBeLessThan(600_000);
  });
});

/** Charts: golden SVG files, looked at in light and dark, and what foreign text can do in them. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { barChart } from "../../../src/report/charts/chart.js";
import { chartsOf } from "../../../src/report/charts/charts.js";
import { renderReport } from "../../../src/report/markdown/report.js";
import type { CaseResult, Results } from "../../../src/results/schema.js";
import { renderGfm } from "../../support/gfm.js";
import { completed, failed, interfacesSet, resultsOf } from "../../support/results.js";

const golden = (name: string) => join(import.meta.dirname, `${name}.golden.svg`);

const HELLO: readonly CaseResult[] = [
  completed("interfaces/fastwsgi", "FastWSGI", 100, 71240.2, { summary: { clientBound: true } }),
  failed("interfaces/bjoern", "bjoern", 100),
  completed("interfaces/cheroot", "Cheroot", 100, 5423.8),
  completed("interfaces/gunicorn", "Gunicorn", 100, 3012.1),
  completed("interfaces/uwsgi", "uWSGI", 100, 11874.6),
  completed("interfaces/waitress", "Waitress", 100, 6190.3),
  completed("interfaces/uvicorn", "Uvicorn (ASGI)", 100, 7405),
];

function charted(cases: readonly CaseResult[], charts: Results["sets"][number]["charts"]): Results {
  return resultsOf(cases, { sets: [{ ...interfacesSet, title: "Hello, World! over WSGI", charts }] });
}

describe("chartsOf", () => {
  it("draws requests per second and requests served", async () => {
    const files = chartsOf(charted(HELLO, ["rps", "requests"]));
    expect(files.map(({ name, heading }) => [name, heading])).toEqual([
      ["interfaces-rps.svg", "Requests per second"],
      ["interfaces-requests.svg", "Requests served in 10 seconds"],
    ]);
    await expect(files[0]?.svg).toMatchFileSnapshot(golden("chart-rps"));
    await expect(files[1]?.svg).toMatchFileSnapshot(golden("chart-requests"));
  });

  it("names the seconds in which the requests were served, not those of slices that count for latency alone", () => {
    const cases = HELLO.map((result) =>
      result.state === "completed" ? { ...result, slices: [...result.slices, ...result.slices] } : result,
    );
    expect(chartsOf(charted(cases, ["requests"])).map(({ heading }) => heading)).toEqual([
      "Requests served in 10 seconds",
    ]);
  });

  it("draws latencies with the lowest first, and one chart for each group", () => {
    const cases = HELLO.map((result) => ({ ...result, group: result.title < "G" ? "A/../B" : undefined }));
    const files = chartsOf(charted(cases, ["mean"]));
    expect(files.map(({ name, group }) => [name, group])).toEqual([
      ["interfaces-a-b-mean.svg", "A/../B"],
      ["interfaces-mean.svg", undefined],
    ]);
    expect(files[0]?.svg).toMatch(/FastWSGI.*Cheroot/s);
  });

  it.each([
    ["mb-per-sec", "megabytes per second, higher is better", ["B", "A"]],
    ["memory", "MiB, lower is better", ["A", "B"]],
    ["startup", "seconds, lower is better", ["A", "B"]],
    ["startup-memory", "MiB, lower is better", ["A", "B"]],
    ["idle-memory", "KiB for each idle connection, lower is better", ["A", "B"]],
  ] as const)("names the unit and the direction of %s, the best row first", (metric, unit, order) => {
    const figures = (factor: number) => ({
      peakMemoryMiB: 20 * factor,
      bodyBytesPerSec: 1e7 * factor,
      startup: { seconds: factor, memoryMiB: 20 * factor },
      idle: { open: 100, kibPerConnection: 30 * factor },
    });
    const cases = [
      completed("interfaces/a", "A", 100, 1000, { summary: figures(1) }),
      completed("interfaces/b", "B", 100, 1000, { summary: figures(2) }),
    ];
    const svg = chartsOf(charted(cases, [metric]))[0]?.svg ?? "";
    const description = /<desc id="desc">(.*?)<\/desc>/.exec(svg)?.[1] ?? "";
    expect(description).toContain(`Bar chart, ${unit}.`);
    expect([...description.matchAll(/\b([AB]) \(c100\): /g)].map(([, name]) => name)).toEqual(order);
  });

  it("draws what was measured where nothing was", () => {
    const [file] = chartsOf(charted([failed("interfaces/a", "A", 1)], ["requests"]));
    expect(file?.heading).toBe("Requests served");
    expect(file?.svg).toContain("N/A: failed or skipped");
    expect(file?.svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(chartsOf(charted(HELLO, undefined))).toEqual([]);
  });
});

describe("a report with charts", () => {
  const results = charted(HELLO, ["rps"]);
  it("links each below its table", () => {
    const html = renderGfm(renderReport(results, { charts: true }));
    expect(html).toMatch(
      /<\/table>.*<h3>Requests per second<\/h3>\s*<p><img src="charts\/interfaces-rps.svg" alt="Hello, World! over WSGI: requests per second"/s,
    );
  });
  it("has none where no files stand beside it", () => {
    expect(renderReport(results)).not.toContain(".svg");
  });
});

describe("barChart", () => {
  const svg = (label: string) =>
    barChart({ title: label, unit: label, bars: [{ label, text: label, value: 1 }], first: "highest", notes: [label] });
  it("says in words what it shows", () => {
    const bars = [
      { label: "slow", text: "2", value: 2 },
      { label: "none", text: "N/A" },
      { label: "fast", text: "10", value: 10 },
    ];
    expect(barChart({ title: "T", unit: "requests", bars, first: "highest" })).toContain(
      '<desc id="desc">Bar chart, requests. fast: 10; slow: 2; none: N/A.</desc>',
    );
  });
  it("lets foreign text be nothing but text", () => {
    const hostile = svg('</text><script>alert("1")</script>&amp; \u202e\u0000');
    expect(hostile).not.toMatch(/<script|\u202e/);
    expect(hostile).not.toContain("\u0000");
    expect(hostile).toContain("&lt;/text&gt;&lt;script&gt;");
  });
  it("cuts what is too long for its line", () => {
    expect(svg("x".repeat(200)).match(/<text[^>]*>(x+\.\.\.)<\/text>/)?.[1]?.length).toBeLessThan(60);
  });
});

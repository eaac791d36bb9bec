/** The page in a real browser: readable without script, and what script adds. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderPage } from "../../../src/report/html/page.js";
import { renderSiteIndex } from "../../../src/report/release/site-index.js";
import type { Results } from "../../../src/results/schema.js";
import { CHROMIUM, Chromium, COLOURS, findingsOfAxe, inChromium } from "../../support/chromium.js";
import { builtInResults, hostileFacts, ORIGIN } from "../../support/comment.js";
import { sampleComparison } from "../../support/comparison.js";
import { HOSTILE } from "../../support/hostile.js";
import { pagedResults } from "../../support/page.js";
import { sampleResults } from "../../support/results.js";

const PAGE = renderPage(pagedResults(), { origin: ORIGIN });

async function openFolds(page: Page): Promise<void> {
  await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
}

function shownRows(page: Page, selector: string): Promise<string[]> {
  return page.locator(`${selector}:visible`).allTextContents();
}

describe.skipIf(CHROMIUM === undefined)(inChromium("index.html in a browser"), () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await Chromium.start();
  });
  afterAll(() => chromium.stop());

  it("has all its content and no dead control without script", async () => {
    const { page } = await chromium.open(PAGE, { javaScriptEnabled: false });
    expect(await page.locator("h1").textContent()).toContain("1 of 20 benchmarks is slower");
    expect(await page.locator(".forest-row:not(.axis):visible").count()).toBe(20);
    expect(await page.locator(".card").first().locator("circle, use").count()).toBeGreaterThan(10);
    expect(await page.locator("button:visible, input:visible, select:visible").count()).toBe(0);
    await page.locator("summary", { hasText: "Paired 1" }).click();
    expect(await page.locator("#row-1").isVisible()).toBe(true);
  });

  it.each([
    ["a comparison in pairs", () => PAGE],
    ["a comparison with stored results", () => renderPage(sampleComparison())],
    ["a run alone", () => renderPage(sampleResults())],
  ])("does not scroll sideways, with every fold open: %s", async (_, html) => {
    const { page, faults } = await chromium.open(html(), { viewport: { width: 360, height: 800 } });
    await openFolds(page);
    for (const width of [360, 390, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth"), `${width} px`).toBeLessThanOrEqual(width);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it.each([
    [390, 2],
    [1280, 99],
  ])("shows figures beside the names of rows at %d px", async (width, columns) => {
    const { page } = await chromium.open(renderPage(await builtInResults()), { viewport: { width, height: 800 } });
    await openFolds(page);
    const tables = await page.locator(".set .scroll").evaluateAll((scrolls) =>
      scrolls.map((scroll) => {
        const edge = scroll.getBoundingClientRect().right;
        const cells = [...scroll.querySelectorAll("thead th")].map((cell) => cell.getBoundingClientRect().right);
        return {
          name: scroll.getAttribute("aria-label"),
          cells: cells.length,
          shown: cells.filter((right) => right <= edge + 1).length,
        };
      }),
    );
    expect(tables.length).toBeGreaterThan(15);
    for (const { name, cells, shown } of tables)
      expect(shown, name ?? "").toBeGreaterThanOrEqual(Math.min(columns, cells));
  });

  it("shows every column of the list of releases at 1280 px, whatever the machine is called", async () => {
    const machine = "AMD EPYC 7763 64-Core Processor with a long name, 4 CPUs";
    const verdicts = { worse: 1, better: 2, unchanged: 116, inconclusive: 1 };
    const about = {
      headline: "1 of 120 benchmarks is slower, by 7.0 %.",
      measuredAt: "2025-01-03T02:28:11Z",
      rows: 120,
    };
    const list = renderSiteIndex([
      { tag: "v1.1.0", previous: "v1.0.0", href: "v1.1.0.html", ...about, machine, verdicts, notCompared: 0 },
    ]);
    const { page } = await chromium.open(list, { viewport: { width: 1280, height: 800 } });
    const hidden = await page.locator(".scroll").evaluate((scroll) => scroll.scrollWidth - scroll.clientWidth);
    expect(hidden).toBe(0);
  });

  it("draws the band of unchanged rows without gaps, also where names need two lines", async () => {
    const long = "whose name is so long that it needs two lines of the list";
    const results: Results = JSON.parse(JSON.stringify(pagedResults(1)).replaceAll("of a scenario", long));
    const { page } = await chromium.open(renderPage(results), { viewport: { width: 1440, height: 800 } });
    const rows = await page.locator(".forest-set .forest-row:visible").evaluateAll((lines) =>
      lines.map((line) => {
        const [row, plot, band] = [line, line.querySelector(".plot"), line.querySelector(".band")].map((one) => {
          const { top, bottom } = one?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
          return [Math.round(top), Math.round(bottom)];
        });
        return { row, plot, band };
      }),
    );
    expect(rows).toHaveLength(10);
    for (const { row, plot, band } of rows) {
      expect((row?.[1] ?? 0) - (row?.[0] ?? 0)).toBeGreaterThan(30);
      expect(plot).toEqual(row);
      expect(band).toEqual(row);
    }
    await page.setViewportSize({ width: 360, height: 800 });
    const heights = await page
      .locator(".forest-set .plot:visible")
      .evaluateAll((plots) => plots.map((plot) => plot.getBoundingClientRect().height));
    expect(new Set(heights)).toEqual(new Set([28]));
  });

  it.each([
    ["a comparison in pairs", () => PAGE],
    ["a comparison with stored results", () => renderPage(sampleComparison())],
    ["a run alone", () => renderPage(sampleResults())],
  ])("has no findings of axe, in light and in dark: %s", async (_, html) => {
    const { page } = await chromium.open(html(), { colorScheme: "light" });
    await openFolds(page);
    expect(await findingsOfAxe(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findingsOfAxe(page, COLOURS)).toEqual([]);
    await page.context().close();
  });

  it("sorts by a column, and says so", async () => {
    const { page, faults } = await chromium.open(PAGE);
    await openFolds(page);
    const table = page.locator("table.sortable").first();
    const heading = table.locator("th", { hasText: "RPS" });
    const rates = async () => (await table.locator("tbody tr td:nth-child(3)").allTextContents()).map(Number);
    const before = await rates();
    await heading.getByRole("button").click();
    expect(await heading.getAttribute("aria-sort")).toBe("descending");
    await heading.getByRole("button").press("Enter");
    expect(await heading.getAttribute("aria-sort")).toBe("ascending");
    expect(await rates()).toEqual([...before].sort((a, b) => a - b));
    expect(faults).toEqual([]);
  });

  it("puts rows without a figure last, whichever way it sorts", async () => {
    const { page } = await chromium.open(renderPage(sampleResults()));
    const table = page.locator("table.sortable").first();
    const button = table.locator("th", { hasText: "RPS" }).getByRole("button");
    for (const _ of ["descending", "ascending"]) {
      await button.click();
      const cells = await table.locator("tbody tr td:nth-child(3)").allTextContents();
      expect(cells.slice(-2)).toEqual(["N/A", "N/A"]);
    }
  });

  it("filters, counts, and gives the state to a link", async () => {
    const first = await chromium.open(PAGE);
    await first.page.getByLabel("Verdict").selectOption("worse");
    expect(await shownRows(first.page, ".forest-row:not(.axis)")).toHaveLength(1);
    expect(await shownRows(first.page, ".card")).toHaveLength(1);
    await first.page.getByLabel("Verdict").selectOption("");
    await first.page.getByLabel("Server").selectOption("Hypercorn");
    await first.page.getByLabel("Search").fill("row-3");
    await openFolds(first.page);
    await first.page.locator("table.sortable").first().locator("th", { hasText: "RPS" }).getByRole("button").click();
    const hash = new URL(first.page.url()).hash;
    const seen = await shownRows(first.page, ".forest-row:not(.axis)");
    expect(seen).toHaveLength(2);
    expect(await first.page.locator("#count").textContent()).toMatch(/^\d+ of \d+ benchmarks$/);

    const { page, faults } = await chromium.open(PAGE, {}, hash);
    expect(await shownRows(page, ".forest-row:not(.axis)")).toEqual(seen);
    expect(await page.getByLabel("Server").inputValue()).toBe("Hypercorn");
    expect(await page.locator("th[aria-sort=descending]").count()).toBe(1);
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => shownRows(page, ".forest-row:not(.axis)")).toHaveLength(20);
    expect([...first.faults, ...faults]).toEqual([]);
  });

  it("leads from a row to its card and to its line, and opens the folds around them", async () => {
    const { page } = await chromium.open(PAGE);
    await page.locator(".forest a", { hasText: "Row 1 of a scenario" }).nth(1).click();
    expect(await page.locator(":focus").getAttribute("id")).toMatch(/^row-\d+$/);
    expect(await page.locator(":focus").isVisible()).toBe(true);
    const again = await chromium.open(PAGE, {}, new URL(page.url()).hash);
    expect(await again.page.locator(":focus").textContent()).toContain("Row 1 of a scenario");
    await page.locator(".forest a", { hasText: "Row 3 of a scenario" }).first().click();
    expect(await page.locator(":focus").getAttribute("id")).toMatch(/^change-\d+$/);
  });

  it("ignores a state that it does not know", async () => {
    const { page, faults } = await chromium.open(
      PAGE,
      {},
      "#sort=99.99.ascending&server=%3Cb%3E&verdict=none&row=nothing",
    );
    expect(await shownRows(page, ".forest-row:not(.axis)")).toHaveLength(20);
    expect(faults).toEqual([]);
  });

  it("downloads its figures", async () => {
    const { page } = await chromium.open(PAGE, { acceptDownloads: true });
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
    const text = await readFile(await download.path(), "utf8");
    expect(JSON.parse(text)).toMatchObject({ schema: "server-bench/page-data", version: 1 });
  });

  it("prints with every fold open and without controls", async () => {
    const { page } = await chromium.open(PAGE, { colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator("details:not([open])").count()).toBe(0);
    expect(await page.locator("#controls").isVisible()).toBe(false);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
  });

  it("stays text with hostile names", async () => {
    let i = 0;
    const next = () => `${HOSTILE[i++ % HOSTILE.length]}<img src=x onerror=document.title='x'>`;
    const { page, faults } = await chromium.open(renderPage(hostileFacts(next).results));
    await openFolds(page);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).not.toBe("x");
    expect(faults).toEqual([]);
  });

  it("is usable with all built-in rows", async () => {
    const results = await builtInResults((id) => (id.length % 17 === 0 ? "worse" : "unchanged"));
    const { page, faults } = await chromium.open(renderPage(results), { viewport: { width: 360, height: 800 } });
    const total = results.comparison?.rows.length ?? 0;
    expect(await page.locator(".forest-row:not(.axis)").count()).toBe(total);
    expect(await page.locator(".forest-row:not(.axis):visible").count()).toBeLessThan(total / 2);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    expect(faults).toEqual([]);
  });

  it("is usable with 1,000 rows: it filters, sorts, links, prints, and stays below 3 MB", {
    timeout: 60_000,
  }, async () => {
    const html = renderPage(pagedResults(100), { origin: ORIGIN });
    expect(Buffer.byteLength(html)).toBeLessThan(3_000_000);
    const { page, faults } = await chromium.open(html, { viewport: { width: 360, height: 800 } });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await page.getByLabel("Search").fill("paired-57/row-3");
    expect(await shownRows(page, ".forest-row:not(.axis)")).toHaveLength(1);
    const again = await chromium.open(html, { viewport: { width: 1440, height: 900 } }, new URL(page.url()).hash);
    expect(await shownRows(again.page, ".forest-row:not(.axis)")).toHaveLength(1);
    await again.page.getByRole("button", { name: "Show all" }).click();
    await openFolds(again.page);
    const heading = again.page.locator("table.sortable").nth(42).locator("th", { hasText: "RPS" });
    await heading.getByRole("button").click();
    expect(await heading.getAttribute("aria-sort")).toBe("descending");
    expect(await again.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(1440);
    await again.page.emulateMedia({ media: "print" });
    await again.page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await again.page.locator("details:not([open])").count()).toBe(0);
    expect([...faults, ...again.faults]).toEqual([]);
    const plain = await chromium.open(html, { javaScriptEnabled: false });
    expect(await plain.page.locator(".forest-row:not(.axis)").count()).toBe(1000);
  });
});

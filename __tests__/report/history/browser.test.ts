/** The page of 500 runs in a real browser: readable without script, and what script adds. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseRepository } from "../../../src/history/repository.js";
import { renderHistory } from "../../../src/report/history/page.js";
import { lastChange } from "../../../src/report/history/words.js";
import { CHROMIUM, Chromium, COLOURS, findingsOfAxe, inChromium } from "../../support/chromium.js";
import { historyOfDays, shaOf } from "../../support/history.js";
import { HOSTILE } from "../../support/hostile.js";

const RUNS = 500;
const ROWS = 40;
const HISTORY = historyOfDays({
  runs: RUNS,
  rows: ROWS,
  speed: (row, run) => (row === 1 && run >= 450 ? -0.1 : row === 2 && run >= 300 ? 0.08 : 0),
  run: (run) => ({ git: { sha: shaOf(run), ref: run % 100 === 50 ? `v1.${run / 50}.0` : "main" } }),
  environment: (run) => (run < 200 ? { kernel: "6.7.0", fingerprint: "older" } : {}),
});
const PAGE = renderHistory(HISTORY, {
  repository: parseRepository("https://github.com/octo/app", "--repository"),
  toolVersion: "0.1.0",
});
const WORSE = HISTORY.rows.filter(({ changes }) => lastChange(changes)?.verdict === "suspect-worse").length;

async function openEverything(page: Page): Promise<void> {
  await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
  await page.locator("#row-1 a, .rows tr[data-row] a").first().click();
  await page.locator("[name=base]").selectOption({ index: 2 });
  await page.locator("[name=head]").selectOption({ index: 1 });
  await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
}

const WIDTH = "document.documentElement.scrollWidth";

describe.skipIf(CHROMIUM === undefined)(inChromium("the history in a browser"), () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await Chromium.start();
  });
  afterAll(() => chromium.stop());

  it("has all rows, changes and trends, and no dead control, without script", async () => {
    const { page } = await chromium.open(PAGE, { javaScriptEnabled: false });
    expect(await page.locator("h1").textContent()).toMatch(/^Levels changed in \d+ of 40 benchmarks over 500 runs/);
    expect(await page.locator(".changes tbody tr").count()).toBeGreaterThanOrEqual(4);
    expect(await page.locator("tr[data-row] svg.spark").count()).toBe(ROWS);
    expect(await page.locator("button:visible, input:visible, select:visible").count()).toBe(0);
  });

  it("does not scroll sideways at 360 and 1440 px, with everything open", async () => {
    const { page, faults } = await chromium.open(PAGE, { viewport: { width: 360, height: 800 } });
    await openEverything(page);
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(WIDTH), `${width} px`).toBeLessThanOrEqual(width);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("has no findings of axe, in light and in dark, with everything open", async () => {
    const { page } = await chromium.open(PAGE, { colorScheme: "light" });
    await openEverything(page);
    expect(await findingsOfAxe(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findingsOfAxe(page, COLOURS)).toEqual([]);
    await page.context().close();
  });

  it("opens a row, shows other runs and another metric, and gives the state to a link", async () => {
    const first = await chromium.open(PAGE);
    const { page } = first;
    await page.locator(".changes a", { hasText: "Row 1 " }).first().click();
    expect(await page.locator("tr.detail svg.trend").count()).toBe(2);
    const dots = () => page.locator("tr.detail svg.trend").first().locator("circle").count();
    expect(await dots()).toBe(90);
    const before = await page.locator("#row-1 svg.spark, tr[data-row] svg.spark").first().innerHTML();
    await page.locator("[name=last]").selectOption("30");
    expect(await dots()).toBe(30);
    expect(await page.locator("#row-1 svg.spark, tr[data-row] svg.spark").first().innerHTML()).not.toBe(before);
    await page.locator("[name=metric]").selectOption("cpuPerRequest");
    expect(await page.locator("#rows + p").textContent()).toMatch(
      /^CPU per request over the last 30 runs, each benchmark/,
    );
    await page.locator("[name=verdict]").selectOption("suspect-worse");
    expect(await page.locator("tr[data-row]:visible").count()).toBe(WORSE);
    await page.locator("[name=base]").selectOption("run-440");
    await page.locator("[name=head]").selectOption("run-499");
    const said = await page.locator("#compared").innerText();
    expect(said).toContain("No benchmark could be decided.");
    expect(said).toContain("The other benchmarks (40)");

    const again = await chromium.open(PAGE, {}, new URL(page.url()).hash);
    expect(await again.page.locator("#compared").innerText()).toBe(said);
    expect(await again.page.locator("tr[data-row]:visible").count()).toBe(WORSE);
    expect(await again.page.locator("tr.detail svg.trend").first().locator("circle").count()).toBe(30);
    expect(await again.page.locator("[name=metric]").inputValue()).toBe("cpuPerRequest");
    expect([...first.faults, ...again.faults]).toEqual([]);
  });

  it("says why two runs cannot be compared", async () => {
    const { page } = await chromium.open(PAGE, {}, "#base=run-100&head=run-499");
    expect(await page.locator("#compared").innerText()).toBe(
      "Not comparable with base. Reason: kernel: 6.7.0 in base, 6.8.0-51-generic in head.",
    );
  });

  it("sorts, and keeps a row's details below it", async () => {
    const { page, faults } = await chromium.open(PAGE);
    const table = page.locator("table.rows").first();
    await table.locator("tbody th a").first().click();
    const open = await page.locator("tr.detail").evaluate((place) => place.previousElementSibling?.id);
    const heading = table.locator("th", { hasText: "Newest" });
    await heading.getByRole("button").press("Enter");
    expect(await heading.getAttribute("aria-sort")).toBe("descending");
    const rates = (await table.locator("tr[data-row] td:nth-child(3)").allTextContents()).map(Number.parseFloat);
    expect(rates).toEqual([...rates].sort((a, b) => b - a));
    expect(await page.locator("tr.detail").evaluate((place) => place.previousElementSibling?.id)).toBe(open);
    expect(await table.locator("th", { hasText: "Trend" }).getByRole("button").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("sorts signed changes by their value, and days by their date", async () => {
    const history = historyOfDays({
      runs: 60,
      rows: 6,
      // Steps on 19 January, 6, 7 and 17 February.
      speed: (row, run) => (run >= ([18, 36, 37, 47][row] ?? 60) ? ([0.06, -0.05, -0.1, 0.09][row] ?? 0) : 0),
    });
    const { page, faults } = await chromium.open(renderHistory(history, { toolVersion: "0.1.0" }));
    const sorted = async (table: string, heading: string, column: number, parse: (text: string) => number) => {
      await page.locator(`${table} th`, { hasText: heading }).first().getByRole("button").click();
      const cells = await page
        .locator(`${table} >> nth=0`)
        .locator(`tbody tr td:nth-child(${column})`)
        .allTextContents();
      return cells.filter((cell) => cell !== "" && cell !== "no change found").map(parse);
    };
    const percent = (text: string) => Number.parseFloat(text.replace("\u2212", "-"));
    const changes = await sorted("table.changes", "Change", 2, percent);
    expect(changes.length).toBeGreaterThan(5);
    expect(changes.filter((change) => change < 0).length).toBeGreaterThan(1);
    expect(changes).toEqual([...changes].sort((a, b) => b - a));
    const days = await sorted("table.changes", "First seen", 6, Date.parse);
    expect(new Set(days).size).toBe(4);
    expect(days).toEqual([...days].sort((a, b) => a - b));
    // Sets 1 and 2 have a row that did not change, which comes last.
    const since = page.locator("table.rows").first();
    for (const _ of ["ascending", "descending"]) {
      await since.locator("th", { hasText: "Since" }).getByRole("button").click();
      expect((await since.locator("tbody tr td:nth-child(5)").allTextContents()).at(-1)).toBe("no change found");
    }
    expect(await since.locator("time").count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it("ignores a state that it does not know", async () => {
    const { page, faults } = await chromium.open(
      PAGE,
      {},
      "#last=7&metric=x&base=%3Cb%3E&head=run-1&row=row-99999&sort=9.9.ascending",
    );
    expect(await page.locator("[name=last]").inputValue()).toBe("90");
    expect(await page.locator("tr.detail").count()).toBe(0);
    expect(await page.locator("#compared").innerText()).toBe("");
    expect(faults).toEqual([]);
  });

  it("stays text with hostile names", async () => {
    const history = historyOfDays({
      runs: 12,
      rows: HOSTILE.length,
      run: (run) => ({ id: `<img src=x>"'${run}`, git: { sha: "<b>", ref: "<b>" } }),
      environment: (run) => ({ kernel: run < 3 ? "<img src=x onerror=document.title='x'>" : "k" }),
      change: (result, row) => ({
        ...result,
        id: `${result.set}/${row}${HOSTILE[row]}<img src=x onerror=document.title='x'>`,
        title: `${HOSTILE[row]}<img src=x onerror=document.title='x'>`,
        server: { ...result.server, title: "<img src=x onerror=document.title='x'>" },
      }),
    });
    const { page, faults } = await chromium.open(renderHistory(history, { toolVersion: "0.1.0" }));
    await openEverything(page);
    await page.locator("[name=base]").selectOption({ index: 12 });
    expect(await page.locator("#compared").innerText()).toContain("<img src=x");
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).not.toBe("x");
    expect(faults).toEqual([]);
  });

  it("prints without controls", async () => {
    const { page } = await chromium.open(PAGE, { colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator("details:not([open])").count()).toBe(0);
    expect(
      await page
        .locator("#controls, #pick, #view")
        .evaluateAll((all) => all.filter((one) => one.checkVisibility()).length),
    ).toBe(0);
  });
});

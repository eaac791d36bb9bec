/** When a page can be used, in the system's Chromium. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const CHROMIUM = "/usr/bin/chromium";

/**
 * Seconds from the start of loading to the end of the page's script.
 * @param page path of the file
 * @param more expression whose value is measured in the page too
 * @returns undefined without Chromium
 */
export async function interactive(page, more) {
  if (!existsSync(CHROMIUM)) return undefined;
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const tab = await browser.newPage();
    await tab.goto(pathToFileURL(page).href);
    const ms = await tab.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd");
    return { seconds: ms / 1000, more: more && (await tab.evaluate(more)) };
  } finally {
    await browser.close();
  }
}

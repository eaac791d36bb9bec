/** The system's Chromium on a page from a file, with everything that a page must not do recorded. */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const CHROMIUM = PLACES.find((path) => existsSync(path));

/** The title of tests that need it; a report then says why they were skipped. */
export function inChromium(what: string): string {
  return CHROMIUM === undefined ? `${what} (skipped: no Chromium on this machine)` : what;
}

export interface Opened {
  readonly page: Page;
  readonly address: string;
  /** Errors and warnings of the console, uncaught errors, and requests beyond the file itself. */
  readonly faults: string[];
}

export class Chromium {
  readonly #browser: Browser;
  readonly #folder: string;
  #files = 0;

  private constructor(browser: Browser, folder: string) {
    this.#browser = browser;
    this.#folder = folder;
  }

  static async start(): Promise<Chromium> {
    const folder = await mkdtemp(join(tmpdir(), "server-bench-page-"));
    // Root has no sandbox.
    const browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
    return new Chromium(browser, folder);
  }

  async open(html: string, options: BrowserContextOptions = {}, hash = ""): Promise<Opened> {
    this.#files += 1;
    const file = join(this.#folder, `${this.#files}.html`);
    await writeFile(file, html);
    const address = pathToFileURL(file).href;
    const context = await this.#browser.newContext(options);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("console", (message) => {
      if (message.type() !== "log") faults.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(address)) faults.push(`request: ${request.url()}`);
    });
    await page.goto(address + hash);
    return { page, address, faults };
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The only rule of axe that a colour scheme can break. */
export const COLOURS = ["color-contrast"];

/** @param rules default: all */
export async function findingsOfAxe(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The page's policy lets no other script in: this one comes through the debugger.
  await page.evaluate(axe.source);
  const options = JSON.stringify(rules ? { runOnly: { type: "rule", values: rules } } : {});
  const run = `axe.run(document, ${options}).then(({ violations }) => JSON.stringify(violations))`;
  const violations: { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[] = JSON.parse(
    String(await page.evaluate(run)),
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

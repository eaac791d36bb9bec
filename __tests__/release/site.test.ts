/** The folder that Pages publishes, over several releases. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderName } from "../../src/release/folder-name.js";
import { addRelease, checkSite, writeIndex } from "../../src/release/site.js";
import { renderPage } from "../../src/report/html/page.js";
import { releaseLead } from "../../src/report/release/lead.js";
import type { Results } from "../../src/results/schema.js";
import { CHROMIUM, Chromium, inChromium } from "../support/chromium.js";
import { HOSTILE } from "../support/hostile.js";
import { failedIn, firstFacts, notesFacts } from "../support/release.js";

let temp: string;
let site: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  site = join(temp, "site");
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

async function add(tag: string, previous: string | undefined, results: Results) {
  const page = join(temp, "index.html");
  writeFileSync(page, renderPage(results, { lead: releaseLead({ tag, previous }, "../index.html") }));
  writeFileSync(join(temp, "results.json"), "{}");
  const files = [page, join(temp, "results.json")];
  const { releases } = await addRelease(site, { tag, previous, results, files });
  await writeIndex(site, releases, "octo/app");
}

const on = (results: Results, day: number): Results => ({
  ...results,
  run: { ...results.run, startedAt: `2025-01-${String(day).padStart(2, "0")}T02:28:11Z` },
});
const index = () => readFileSync(join(site, "index.html"), "utf8");
const tagsListed = () =>
  [...index().matchAll(/<th scope="row">(?:<a href="([^"]*)">)?([^<]*)/g)].map(([, href, tag]) => [tag, href]);

/** Cells of a release: rows, worse, better, unchanged, inconclusive, not compared. */
const counts = (tag: string) =>
  [...(rowOf(tag)?.matchAll(/<td class="number">([^<]*)<\/td>/g) ?? [])].map(([, count]) => count);
const rowOf = (tag: string) => index().match(new RegExp(`<tr><th scope="row"><a [^>]*>${tag}</a>.*</tr>`))?.[0];

/** Three releases, added in another order than that of their versions. */
async function three(): Promise<void> {
  const { results } = notesFacts();
  await add("v1.0.0", undefined, on(firstFacts().results, 1));
  await add("v1.10.0", "v1.9.0", on(results, 20));
  await add("v1.9.0", "v1.0.0", on(results, 25));
}

describe("addRelease", () => {
  it("keeps earlier pages, and lists all releases, the latest version first", async () => {
    await three();
    expect(readdirSync(site).sort()).toEqual([
      ".nojekyll",
      "index.html",
      "releases.json",
      "v1.0.0",
      "v1.10.0",
      "v1.9.0",
    ]);
    expect(readdirSync(join(site, "v1.9.0")).sort()).toEqual(["index.html", "results.json"]);
    expect(tagsListed()).toEqual([
      ["v1.10.0", "v1.10.0/index.html"],
      ["v1.9.0", "v1.9.0/index.html"],
      ["v1.0.0", "v1.0.0/index.html"],
    ]);
    expect(index()).toContain("Benchmarks of all releases of octo/app");
    expect(index()).toContain("<td>nothing</td>");
    expect(counts("v1.10.0")).toEqual(["9", "1", "1", "2", "1", "4"]);
    expect(counts("v1.0.0").slice(1)).toEqual(["", "", "", "", ""]);
    expect(index()).not.toContain("<script");
    expect(readFileSync(join(site, "v1.9.0/index.html"), "utf8")).toContain(
      'Benchmarks of v1.9.0 compared with v1.0.0 · <a href="../index.html">All releases</a>',
    );
  });

  it("shows no zeros for rows that failed, and reads counts of an earlier form", async () => {
    await add("v1.0.0", undefined, on(firstFacts().results, 1));
    await add("v1.1.0", "v1.0.0", on(failedIn("head", notesFacts().results), 2));
    expect(counts("v1.1.0")).toEqual(["1", "", "", "", "", "1"]);
    const file = join(site, "releases.json");
    const { releases, ...of } = JSON.parse(readFileSync(file, "utf8"));
    const none = { worse: 0, better: 0, unchanged: 0, inconclusive: 0 };
    const [{ notCompared, ...failed }, ...others] = releases;
    expect(notCompared).toBe(1);
    writeFileSync(file, JSON.stringify({ ...of, releases: [{ ...failed, rows: 0, verdicts: none }, ...others] }));
    await add("v1.2.0", "v1.1.0", on(notesFacts().results, 3));
    expect(counts("v1.1.0")).toEqual(["", "", "", "", "", ""]);
  });

  it("names the other kinds of machine of a release that several measured", async () => {
    const { results } = notesFacts();
    const part = { source: "shard", id: "run", startedAt: results.run.startedAt, command: ["server-bench", "run"] };
    const parts = ["a", "b"].map((fingerprint) => ({ ...part, fingerprint }));
    await add("v1.0.0", "v0.9.0", { ...results, run: { ...results.run, parts } });
    expect(rowOf("v1.0.0")).toContain("<td>AMD Ryzen 7 5700X, 2 CPUs; 1 other kind of machine took part</td>");
    expect(index()).toContain("The two sides of a benchmark were measured side by side, on one machine, in one run.");
  });

  it("replaces the page of the same tag, and leaves other files", async () => {
    await three();
    writeFileSync(join(site, "CNAME"), "bench.example");
    mkdirSync(join(site, "history"));
    const before = readFileSync(join(site, "v1.10.0/index.html"), "utf8");
    await add("v1.9.0", "v1.0.0", on(notesFacts().results, 30));
    expect(tagsListed()).toHaveLength(3);
    expect(index()).toContain("Thu 30 Jan 2025");
    expect(readFileSync(join(site, "v1.10.0/index.html"), "utf8")).toBe(before);
    expect(readFileSync(join(site, "CNAME"), "utf8")).toBe("bench.example");
    expect(existsSync(join(site, "history"))).toBe(true);
  });

  it("lists a release whose page is gone, without a link", async () => {
    await three();
    rmSync(join(site, "v1.0.0"), { recursive: true });
    await add("v2.0.0", "v1.10.0", notesFacts().results);
    expect(tagsListed().at(-1)).toEqual(["v1.0.0 (its page is gone)", undefined]);
  });

  it("shows hostile names as text, in folders inside of the site", async () => {
    const names = [
      ...HOSTILE.filter((text) => text !== ""),
      "../../etc",
      ".git",
      "index.html",
      "a/../../b",
      "CON:x",
      "x".repeat(255),
    ];
    for (const name of names) {
      const { results } = notesFacts();
      const environment = { ...results.environment, cpuModel: name, os: name };
      await add(name, name, { ...results, environment });
    }
    expect(readdirSync(temp).sort()).toEqual(["index.html", "results.json", "site"]);
    const folders = readdirSync(site).filter((name) => !/^(\.nojekyll|index\.html|releases\.json)$/.test(name));
    expect(folders).toHaveLength(names.length);
    for (const folder of folders) expect(folder).toMatch(/^[A-Za-z0-9][\w.-]*$/);
    expect(index()).not.toMatch(/<(?:script|img|details|b>)/);
    expect(
      [...index().matchAll(/href="([^"]*)"/g)]
        .map(([, href]) => href)
        .filter((href) => !/^[A-Za-z0-9][\w.-]*(\/index\.html|\.json)$/.test(href ?? "")),
    ).toEqual([]);
  });
});

describe("folderName", () => {
  it.each(["v1.2.3", "1.0rc1", "granian-2.8.0"])("is the tag %s", (tag) => expect(folderName(tag)).toBe(tag));
  it("is another one for each tag", () => {
    const tags = ["a/b", "a-b", "a b", "a%b", "-a-b", "index.html", "INDEX.html", "..", ".", "日本"];
    expect(new Set(tags.map((tag) => folderName(tag).toLowerCase())).size).toBe(tags.length);
  });
});

describe("a folder that cannot be added to", () => {
  it.each([
    ["no JSON", "{", /releases\.json: is no JSON/],
    ["another schema", '{"schema":"x","version":1,"releases":[]}', /releases\.json: schema: /],
    [
      "a later version",
      '{"schema":"server-bench/releases","version":2,"releases":[]}',
      /version: this server-bench reads version 1/,
    ],
    [
      "a folder outside",
      JSON.stringify({
        schema: "server-bench/releases",
        version: 1,
        releases: [
          { tag: "v1", folder: "../x", measuredAt: "2025-01-30T02:28:11Z", machine: "", headline: "", rows: 1 },
        ],
      }),
      /releases\.0\.folder: expected the name of a folder/,
    ],
  ])("has a releases.json with %s", async (_, json, message) => {
    mkdirSync(site);
    writeFileSync(join(site, "releases.json"), json);
    await expect(checkSite(site, "--site")).rejects.toThrow(message);
    await expect(add("v1.0.0", undefined, firstFacts().results)).rejects.toThrow(message);
    expect(readdirSync(site)).toEqual(["releases.json"]);
  });

  it("has the index of another site, or is a file", async () => {
    writeFileSync(site, "");
    await expect(checkSite(site, "--site")).rejects.toThrow(/is a file; give a folder/);
    rmSync(site);
    mkdirSync(site);
    writeFileSync(join(site, "index.html"), "<h1>Docs</h1>");
    await expect(checkSite(site, "--site")).rejects.toThrow(/belongs to another site/);
  });

  it("is a link, or has one where the history goes", async () => {
    symlinkSync(temp, site);
    await expect(checkSite(site, "--site")).rejects.toThrow(/site is a link, and nothing is written through links/);
    rmSync(site);
    mkdirSync(site);
    symlinkSync(temp, join(site, "history"));
    await expect(checkSite(site, "--site")).rejects.toThrow(/history is a link, /);
  });

  it("has another page where the history goes", async () => {
    await add("v1.0.0", undefined, firstFacts().results);
    mkdirSync(join(site, "history"));
    writeFileSync(join(site, "history/index.html"), "<h1>How we began</h1>");
    await expect(checkSite(site, "--site")).rejects.toThrow(/history\/index\.html belongs to another site/);
    writeFileSync(join(site, "history/history.json"), "{}");
    await expect(checkSite(site, "--site")).resolves.toBeUndefined();
  });

  it("is none where there is nothing yet, or a site of ours", async () => {
    await expect(checkSite(site, "--site")).resolves.toBeUndefined();
    await add("v1.0.0", undefined, firstFacts().results);
    await expect(checkSite(site, "--site")).resolves.toBeUndefined();
  });
});

describe.skipIf(CHROMIUM === undefined)(inChromium("the index in a browser"), () => {
  it.each(["light", "dark"] as const)(
    "needs no script, no request and no sideways scroll (%s)",
    { timeout: 60_000 },
    async (colorScheme) => {
      await three();
      const chromium = await Chromium.start();
      try {
        for (const width of [360, 1440]) {
          const { page, faults } = await chromium.open(index(), {
            colorScheme,
            javaScriptEnabled: true,
            viewport: { width, height: 900 },
          });
          expect(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBeLessThanOrEqual(
            0,
          );
          await page.evaluate(axe.source);
          expect(
            await page.evaluate("axe.run(document).then(({ violations }) => violations.map(({ id }) => id))"),
          ).toEqual([]);
          expect(faults).toEqual([]);
        }
      } finally {
        await chromium.stop();
      }
    },
  );
});

/** The page, the feed, the badge and the file of a history, as text. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { compareStored } from "../../../src/compare/stored.js";
import { historyFile } from "../../../src/history/file.js";
import { type History, historyOf } from "../../../src/history/model.js";
import { parseRepository } from "../../../src/history/repository.js";
import { headline, headlineText } from "../../../src/report/comparison/headline.js";
import { historyData } from "../../../src/report/history/data.js";
import { decodeRow, resultsOfRun } from "../../../src/report/history/decode.js";
import { feedOf } from "../../../src/report/history/feed.js";
import { renderHistory } from "../../../src/report/history/page.js";
import { sparkline } from "../../../src/report/history/spark.js";
import { badgeOf, historyHeadline } from "../../../src/report/history/words.js";
import type { CaseResult, Results } from "../../../src/results/schema.js";
import { days, failedCase, historyOfDays, records, shaOf } from "../../support/history.js";
import { HOSTILE } from "../../support/hostile.js";

const REPOSITORY = parseRepository("https://github.com/octo/app", "--repository");
const step = (row: number, run: number) => (row === 1 && run >= 60 ? -0.1 : row === 2 && run >= 80 ? 0.08 : 0);
const CHANGED = historyOfDays({
  runs: 100,
  rows: 8,
  speed: step,
  run: (run) => ({ git: { sha: shaOf(run), ref: run % 40 === 10 ? `v1.${run}.0` : "main" } }),
  environment: (run) => (run < 30 ? { kernel: "6.7.0", fingerprint: "older" } : {}),
});
const FEW = historyOfDays({ runs: 3, rows: 2 });
const CALM = historyOfDays({ runs: 30, rows: 3 });

function page(history: History): string {
  return renderHistory(history, { repository: REPOSITORY, toolVersion: "0.1.0" });
}

/** Every text of every case comes from the list. */
function hostile(result: CaseResult, row: number): CaseResult {
  const text = `${HOSTILE[row % HOSTILE.length]}<img src=x onerror=alert(1)>`;
  return {
    ...result,
    id: `${result.set}/${text}`,
    title: text,
    knobs: { [text]: text },
    server: { ...result.server, title: text, name: text, interface: text, version: text, python: text },
  };
}

function hostileHistory(): History {
  const text = "</script><script>alert(1)</script><!-- ]]> \uFFFE javascript:alert(1)";
  return historyOf(
    records(
      days({
        runs: 14,
        rows: HOSTILE.length,
        speed: (_, run) => (run >= 7 ? -0.2 : 0),
        environment: (run) => ({ cpuModel: text, kernel: `${text}${run === 3 ? 1 : 0}` }),
        run: (run) => ({ id: `${text}${run}`, git: { sha: text, ref: text }, tool: { version: text } }),
        change: hostile,
      }),
    ),
    [{ source: text, reason: text }],
  );
}

describe("the headline and the badge", () => {
  it.each([
    [
      CHANGED,
      /^Levels changed in 2 of 8 benchmarks over 100 runs: in total 1 got worse and 1 got better$/,
      "1 benchmark better in 30 runs",
    ],
    [CALM, /^No change of level was found in 3 benchmarks over 30 runs$/, "no change in 30 runs"],
    [FEW, /^2 benchmarks in 3 runs: too few to find changes of level$/, "too few runs"],
  ])("say what was found", (history, words, message) => {
    expect(historyHeadline(history)).toMatch(words);
    const badge = badgeOf(history);
    expect(badge).toEqual({
      schemaVersion: 1,
      label: "benchmarks",
      message,
      color: expect.stringMatching(/^(\w+|[0-9a-f]{6})$/),
    });
  });
});

describe("the page", () => {
  it("keeps a blank between the day of a change and its metric", () => {
    const since = [...page(CHANGED).matchAll(/<td class="since"><time[^>]*>(.*?)<\/td>/g)].map(([, text]) => text);
    expect(since).toContainEqual(expect.stringMatching(/^\d+ \w+ \d+<\/time>(?:, v[\d.]+)? \(CPU per request\)$/));
  });
  it("leads with what changed, then every row, then how to read it", () => {
    const text = page(CHANGED);
    const places = ["<h1>", "What changed", "Compare two runs", "Every benchmark", "How to read it", '<h2 id="data"'];
    const at = places.map((place) => text.indexOf(place, text.indexOf("<body>")));
    expect(at.every((place) => place > 0)).toBe(true);
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(text).toContain(`href="https://github.com/octo/app/compare/${shaOf(59)}...${shaOf(60)}"`);
    expect(text).toContain("kernel");
  });

  it.each([
    ["changes", CHANGED],
    ["few runs", FEW],
    ["hostile names", hostileHistory()],
  ])("has no link, style or script but its own, with %s", (_, history) => {
    const text = page(history);
    const own =
      /^(#row-\d+|feed\.atom|history\.json|badge\.json|https:\/\/github\.com\/octo\/app\/compare\/[0-9a-f]{40}\.\.\.[0-9a-f]{40})$/;
    for (const [, address = ""] of text.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(address.startsWith("#m-") || own.test(address), address).toBe(true);
    const markup = text
      .replace(/<script>.*?<\/script>/s, "")
      .replace(/<script type="application\/json".*?<\/script>/s, "");
    expect(/<[^>]*\s(?:style|on\w+)=/.exec(markup.replace(/"[^"]*"/g, '""'))?.[0]).toBeUndefined();
    expect(/undefined|NaN|\[object/.exec(markup)?.[0]).toBeUndefined();
    expect([...text.matchAll(/<script/g)]).toHaveLength(2);
    expect(text).not.toContain("<img");
    const ids = [...markup.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of markup.matchAll(/href="#(row-[^"]*)"/g)) expect(ids).toContain(target);
  });

  it("allows its own style and script by their hashes alone", () => {
    const text = page(FEW);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1]?.replaceAll("&#39;", "'") ?? "";
    const hash = (of = "") => `'sha256-${createHash("sha256").update(of).digest("base64")}'`;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src ${hash(/<style>(.*?)<\/style>/s.exec(text)?.[1])};`);
    expect(policy).toContain(`script-src ${hash(/<script>(.*?)<\/script>/s.exec(text)?.[1])};`);
  });

  it("draws a point that is alone in its way of measuring", () => {
    const values = [undefined, 100, 101, 99];
    const { text } = sparkline({ values, series: [-1, 0, 1, 1], changes: [] }, 0);
    expect(text).toMatch(/<path class="s0 lone" d="M\d+ \d+h0"\/><path class="s2" d="M\d+ \d+l[-\d ]+"\/>/);
    // A line without a length shows its caps alone.
    expect(page(FEW)).toMatch(/\.spark path\{[^}]*stroke-linecap:round.*\.spark \.lone\{stroke-width:8\}/);
  });

  it("says one run and one day as one", () => {
    const text = page(
      historyOfDays({ runs: 1, rows: 2, change: (result, row) => (row ? failedCase(result) : result) }),
    );
    expect(text).toContain("Throughput over the last 1 run, each benchmark");
    expect(text).toContain("failed on 1 Jan 2024");
    expect(text).toContain("<li>1 Jan 2024</li>");
  });

  it("does not call an application a web server", () => {
    expect(page(FEW)).toContain('<p class="muted">History of benchmarks</p>');
  });

  it("lists what is left out", () => {
    const history = historyOf(records(days({ runs: 3, rows: 1 })), [
      { source: "cut.json", reason: "the file ends in the middle" },
    ]);
    expect(page(history)).toMatch(/Left out:<\/b> 1 file, .*<code>cut\.json<\/code>: the file ends in the middle/s);
  });
});

describe("the embedded data", () => {
  const all: readonly Results[] = [
    ...days({
      runs: 5,
      rows: 9,
      speed: (row, run) => (row === 3 && run === 4 ? -0.5 : 0),
      environment: (run) => (run === 0 ? { kernel: "5.0", fingerprint: "old" } : {}),
      change: (result, row, run) => {
        if (result.state !== "completed") return result;
        if (row === 4) return { ...result, summary: { ...result.summary, clientBound: true } };
        if (row === 5 && run === 4) return { ...result, disturbed: true };
        if (row === 6 && run === 4) return { ...result, knobs: { workers: 4 } };
        if (row === 7 && run === 4)
          return { ...result, summary: { ...result.summary, failures: { total: 7, byKind: { timeout: 7 } } } };
        return row === 8 && run === 4 ? failedCase(result) : result;
      },
    }),
  ];
  const history = historyOf(records(all));
  const data = historyData(history, undefined);
  const decoded = data.rows.map((row) => decodeRow(row, data));

  it.each([
    [1, 4],
    [4, 1],
    [0, 4],
    [2, 2],
  ])("gives the comparison of runs %d and %d that compare gives", (base, head) => {
    const [from, to] = [resultsOfRun(data, decoded, base), resultsOfRun(data, decoded, head)];
    const [original, originalHead] = [all[base], all[head]];
    if (!from || !to || !original || !originalHead) throw new Error("no run");
    const own = compareStored([{ source: "base", results: from }], to);
    const expected = compareStored([{ source: "base", results: original }], originalHead);
    // The page rounds figures to 0.05 %.
    const rounded = (text: string) => text.replaceAll(/\d+\.\d(?= %)/g, "N");
    expect(rounded(headlineText(headline(own)))).toBe(rounded(headlineText(headline(expected))));
    expect(own.notComparable).toEqual(expected.notComparable);
    expect(own.notes).toEqual(expected.notes);
    expect(own.notCompared).toEqual(expected.notCompared);
    expect(own.rows.map(({ id, verdict, notes }) => [id, verdict, notes])).toEqual(
      expected.rows.map(({ id, verdict, notes }) => [id, verdict, notes]),
    );
    own.rows.forEach((row, i) => {
      for (const [name, metric] of Object.entries(row.metrics))
        expect(metric.change).toBeCloseTo(expected.rows[i]?.metrics[name]?.change ?? Number.NaN, 2);
    });
  });
});

/** Tags and texts of an XML document, by a parser that refuses what is not well-formed. */
function parsedXml(
  text: string,
): { readonly tag: string; readonly text: string; readonly attributes: Record<string, string> }[] {
  const code =
    "import sys,json,xml.etree.ElementTree as e;r=e.fromstring(sys.stdin.buffer.read());print(json.dumps([{'tag':x.tag,'text':x.text or '','attributes':x.attrib} for x in r.iter()]))";
  const { stdout, stderr, status } = spawnSync("python3", ["-c", code], { input: text, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const ATOM = "{http://www.w3.org/2005/Atom}";

describe("the feed", () => {
  it.each([
    ["changes", CHANGED, 3],
    ["no change", CALM, 0],
    ["hostile names", hostileHistory(), 10],
  ])("is valid Atom with %s", (_, history, least) => {
    const elements = parsedXml(feedOf(history, REPOSITORY));
    const of = (tag: string) => elements.filter((one) => one.tag === ATOM + tag);
    expect(elements.every(({ tag }) => tag.startsWith(ATOM))).toBe(true);
    const entries = of("entry").length;
    expect(entries).toBeGreaterThanOrEqual(least);
    // One each for the feed and for every entry (RFC 4287, 4.1).
    for (const tag of ["id", "title", "updated"]) expect(of(tag)).toHaveLength(entries + 1);
    expect(of("author")).toHaveLength(1);
    for (const { text } of of("id"))
      expect(text).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    for (const { text } of of("updated")) expect(new Date(text).toISOString()).toBe(text);
    for (const { attributes } of of("link"))
      expect(attributes.href).toMatch(/^(index\.html|https:\/\/github\.com\/octo\/app\/compare\/[0-9a-f.]+)$/);
    expect(new Set(of("id").map(({ text }) => text)).size).toBe(entries + 1);
  });

  it("keeps the id of a change when more runs follow", () => {
    const ids = (runs: number) =>
      [...feedOf(historyOfDays({ runs, rows: 3, speed: step }), REPOSITORY).matchAll(/<id>(.*?)<\/id>/g)].map(
        ([, id]) => id,
      );
    const [earlier, later] = [ids(75), ids(100)];
    expect(earlier.length).toBeGreaterThan(1);
    expect(later).toEqual(expect.arrayContaining(earlier));
  });
});

describe("history.json", () => {
  it("has every run, figure and change", () => {
    const file = JSON.parse(historyFile(CHANGED, REPOSITORY));
    expect(file).toMatchObject({
      schema: "server-bench/history",
      version: 1,
      order: "time",
      repository: REPOSITORY.url,
      leastRuns: 10,
    });
    expect(file.runs).toHaveLength(100);
    expect(file.rows).toHaveLength(8);
    for (const row of file.rows)
      for (const name of ["throughput", "cpuPerRequest", "series"]) expect(row[name]).toHaveLength(100);
    const [newest] = file.changePoints;
    expect(file.rows[newest.row].id).toBe("set-3/row-2");
    expect(newest).toMatchObject({
      run: 80,
      before: 79,
      verdict: "suspect-better",
      commits: expect.stringContaining("/compare/"),
    });
  });
});

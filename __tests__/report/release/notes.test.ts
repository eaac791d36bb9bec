import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RELEASE_BODY_LIMIT, renderNotes } from "../../../src/report/release/notes.js";
import { builtInResults, hostileFacts } from "../../support/comment.js";
import { renderGfm, tablesOf, tagsOf } from "../../support/gfm.js";
import { expectBalanced, expectHarmless, HOSTILE, randomTexts } from "../../support/hostile.js";
import { sampledProfile } from "../../support/profile.js";
import { failedIn, firstFacts, notesFacts } from "../../support/release.js";

const OWN_TAGS = "a code details h2 h3 li p pre strong summary table tbody td th thead tr ul".split(" ");

describe("renderNotes", () => {
  it("writes the sample as its golden file", async () => {
    await expect(renderNotes(notesFacts())).toMatchFileSnapshot(join(import.meta.dirname, "notes.golden.md"));
  });

  it("has one line for each set that was compared, and its numbers are right-aligned", () => {
    const html = renderGfm(renderNotes(notesFacts()));
    expect(tablesOf(html)[0]).toEqual([
      ["Set", "Benchmarks", "Worse", "Better", "Unchanged", "Inconclusive", "Not compared", "Throughput"],
      ["Interfaces", "6", "1", "1", "0", "0", "4", "-7.0 % to +5.0 %"],
      ["Concurrency", "2", "0", "0", "2", "0", "0", "+0.2 %"],
      ["CPU bound", "1", "0", "0", "0", "1", "0", "+0.2 %"],
    ]);
    expect(html).toContain('<td align="right">-7.0 % to +5.0 %</td>');
  });

  it("shows changes that are written alike as one", () => {
    const { results, ...facts } = notesFacts();
    const { comparison } = results;
    const changes = [-0.2181, -0.2179];
    const rows = (comparison?.rows ?? []).slice(0, 2).map((row, i) => {
      const throughput = row.metrics.throughput;
      return { ...row, metrics: { ...(throughput && { throughput: { ...throughput, change: changes[i] ?? 0 } }) } };
    });
    const alike = { ...results, ...(comparison && { comparison: { ...comparison, rows } }) };
    expect(tablesOf(renderGfm(renderNotes({ ...facts, results: alike })))[0]?.[1]?.at(-1)).toBe("-21.8 %");
  });

  it("shows the changes in counted work where no time was measured", () => {
    const { results, ...facts } = notesFacts();
    const { comparison } = results;
    const rows = (comparison?.rows ?? []).map((row) => ({
      ...row,
      metrics: Object.fromEntries(Object.values(row.metrics).map((metric) => ["instructions", metric])),
    }));
    const counted = { ...results, ...(comparison && { comparison: { ...comparison, rows } }) };
    const notes = renderNotes({ ...facts, results: counted });
    expect(tablesOf(renderGfm(notes))[0]?.map((cells) => cells.at(-1))).toEqual([
      "Instructions per request",
      expect.stringMatching(/%$/),
      expect.stringMatching(/%$/),
      expect.stringMatching(/%$/),
    ]);
    expect(notes).toContain("Instructions per request: the lowest and the highest change of a benchmark.");
  });

  it("shows the changes of what was asked for where no usual metric was, and no column where nothing was compared", () => {
    const headings = (names: readonly string[]) => {
      const { results, ...facts } = notesFacts();
      const { comparison } = results;
      const rows = (comparison?.rows ?? []).map((row) => {
        const [metric] = Object.values(row.metrics);
        return { ...row, metrics: metric ? Object.fromEntries(names.map((name) => [name, metric])) : {} };
      });
      const asked = { ...results, ...(comparison && { comparison: { ...comparison, rows } }) };
      const notes = renderNotes({ ...facts, results: asked });
      return { last: tablesOf(renderGfm(notes))[0]?.[0]?.slice(7), notes };
    };
    const latency = headings(["latencyP50", "latencyP99"]);
    expect(latency.last).toEqual(["Latency p50", "Latency p99"]);
    expect(latency.notes).toContain("Latency p50, Latency p99: the lowest and the highest change of a benchmark.");
    const none = headings([]);
    expect(none.last).toEqual([]);
    expect(none.notes).not.toContain("the lowest and the highest change of a benchmark");
  });

  it("claim one machine only where there was one", () => {
    const on = (...fingerprints: readonly string[]) => {
      const { results, ...facts } = notesFacts();
      const { startedAt } = results.run;
      const parts = fingerprints.map((fingerprint, i) => ({
        ...{ source: `shard-${i}`, id: `run-${i}`, startedAt, fingerprint, command: ["server-bench", "run"] },
      }));
      return renderNotes({ ...facts, results: { ...results, run: { ...results.run, parts } } });
    };
    expect(on("a")).toContain("were measured side by side, on one machine, on Thu");
    const alike = on("a", "a");
    expect(alike).toContain("were measured side by side, the two sides of each benchmark on one machine, on Thu");
    expect(alike).toContain("Ubuntu 24.04, Python 3.11. Head is");
    const three = on("a", "b", "a", "c");
    expect(three).toContain("were measured side by side, the two sides of each benchmark on one machine, on Thu");
    expect(three).toContain("Ubuntu 24.04, Python 3.11; 2 other kinds of machine took part. Head is");
  });

  it.each(["base", "head"] as const)("claim no pair where all rows failed in %s", (side) => {
    const { results, ...facts } = notesFacts();
    const notes = renderNotes({ ...facts, results: failedIn(side, results) });
    expect(notes).toMatch(
      /^No benchmark was measured in both `v1\.3\.0` \(.*\) and `v1\.2\.0` \(.*\), on Thu 30 Jan 2025/m,
    );
    expect(notes).toContain("Head is `v1.3.0`, base is `v1.2.0`.");
    expect(notes).toContain("[The page](https://octo.github.io/app/v1.3.0/) has all figures and the charts.");
    expect(notes).not.toContain("measured side by side");
  });

  it("of releases that are identical on both sides, with a control, were measured side by side", () => {
    const { results, ...facts } = notesFacts();
    const { comparison } = results;
    const same = { ...results, ...(comparison && { comparison: { ...comparison, rows: [] } }) };
    expect(renderNotes({ ...facts, results: same })).toContain("were measured side by side, on one machine");
  });

  it("show where the time went, and name no files of stacks: neither release nor site has them", () => {
    const { results, ...facts } = notesFacts();
    const notes = renderNotes({ ...facts, results: { ...results, profiles: [sampledProfile()] } });
    expect(notes).toContain("| planted | app.py:4 |");
    expect(notes).not.toContain("speedscope");
  });

  it("of a first release say that there is no comparison, and show the figures", () => {
    const notes = renderNotes(firstFacts());
    expect(notes).toContain("## Benchmarks of v1.3.0\n");
    expect(notes).toContain("**Nothing to compare with:** v1.3.0 is the first release.");
    expect(notes).toContain("| RSGI bytes (c256) | 901194 |");
    expect(notes).not.toContain("side by side");
    expect(notes).toContain("[The page](https://octo.github.io/app/v1.3.0/) has all figures and the charts.\n");
  });

  it.each(["javascript:alert(1)", "data:text/html,x", 'https://a.example/ "><script>', "https://a.example/)(x"])(
    "make no other link of the page's address %j",
    (pageUrl) => {
      const html = renderGfm(renderNotes(notesFacts({ pageUrl })));
      expect(html).not.toMatch(/href="(?!https:)/);
      expect(html).not.toContain("<script");
      expectBalanced(html);
    },
  );
});

describe("the limit", () => {
  it("holds for all built-in sets, and what was left out is named", async () => {
    const results = await builtInResults((id) => (id.startsWith("interfaces/") ? "worse" : "inconclusive"));
    for (const limit of [RELEASE_BODY_LIMIT, 20_000, 6000, 3000]) {
      const notes = renderNotes(notesFacts({ results }), limit);
      expect(Buffer.byteLength(notes)).toBeLessThanOrEqual(limit);
      expectBalanced(renderGfm(notes));
      if (limit < 65_000)
        expect(notes).toMatch(
          /Left out for GitHub's limit: .*\. \[The page\]\(https:\/\/octo\.github\.io\/app\/v1\.3\.0\/\) has everything\.\n$/,
        );
    }
  });

  it("names the page as the release has it", async () => {
    const results = await builtInResults(() => "inconclusive");
    const { pageUrl: _, ...facts } = notesFacts({ results });
    const attached = ["server-bench.html", "server-bench-results.json"];
    expect(renderNotes({ ...facts, attached }, 20_000)).toMatch(
      /\. `server-bench\.html`, a file of this release, has everything\.\n$/,
    );
    expect(renderNotes(facts, 20_000)).toMatch(/\. The page `index\.html` has everything\.\n$/);
  });

  it("leaves the headline and the page's address when there is room for nothing else", () => {
    const notes = renderNotes(notesFacts(), 500);
    expect(Buffer.byteLength(notes)).toBeLessThanOrEqual(500);
    expect(notes).toMatch(
      /^## Benchmarks of v1\.3\.0 compared with v1\.2\.0\n\n\*\*1 of 5 benchmarks is slower, by 7\.0 %/,
    );
    expect(notes).toContain("https://octo.github.io/app/v1.3.0/");
  });
});

describe("hostile text", () => {
  it.each([HOSTILE, randomTexts(60, 11)])("is nothing but text", (...texts) => {
    let at = 0;
    const next = () => texts[at++ % texts.length] ?? "";
    const { results, ...facts } = hostileFacts(next);
    const notes = renderNotes({
      ...facts,
      results,
      trust: { kind: "own" },
      release: { tag: next(), previous: next() },
    });
    const html = renderGfm(notes);
    expectHarmless(html, OWN_TAGS);
    expect(notes).not.toContain("<!-- server-bench release");
    expect(tagsOf(html).filter((tag) => !OWN_TAGS.includes(tag))).toEqual([]);
  });
});

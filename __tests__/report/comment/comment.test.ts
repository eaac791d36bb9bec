import { join } from "node:path";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { renderComment, renderMeasuring, renderStopped } from "../../../src/report/comment/comment.js";
import type { ComparedRow } from "../../../src/results/comparison.js";
import type { Results } from "../../../src/results/schema.js";
import {
  builtInResults,
  compared,
  comparison,
  facts,
  HEAD_SHA,
  hostileFacts,
  MERGE_SHA,
  notCompared,
  PLACE,
  sampleFacts,
} from "../../support/comment.js";
import { sampleComparison } from "../../support/comparison.js";
import { renderGfm, tablesOf } from "../../support/gfm.js";
import { expectBalanced, expectHarmless, HOSTILE, randomTexts, SHA } from "../../support/hostile.js";
import { sampleResults } from "../../support/results.js";

const OWN_TAGS = "a code details h3 li p pre strong summary table tbody td th thead tr ul".split(" ");

/** What a reader sees before unfolding anything. */
function visible(markdown: string): string {
  return renderGfm(markdown).replace(/<details>.*<\/details>/gs, "");
}

function withoutComparison(): Results {
  const { comparison: _, ...results } = sampleResults();
  return results;
}

describe("the comment of a comparison", () => {
  it("is written as its golden file", async () => {
    await expect(`${renderComment(sampleFacts())}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, "comment.golden.md"),
    );
  });

  it("leads with the verdict, then the changes, then what failed, then the folds", () => {
    const markdown = renderComment(sampleFacts());
    const order = [
      "**1 of 5 benchmarks is slower, by 7.0 %; 1 benchmark failed in head only.**",
      "1 is faster, by 5.0 %; 2 are unchanged within 3 %; 1 is inconclusive; 2 are not compared.",
      "| interfaces / RSGI bytes (c256) | **worse** |",
      "| interfaces / ASGI echo (c64) | better |",
      "**Failed in head only:** `interfaces / RSGI str (c256)`: the server ended with code 1",
      "**Only in head:** `interfaces / WSGI echo (c256)`",
      "**Only in base:** `interfaces / WSGI str (c256)`",
      "`interfaces / RSGI bytes (c256)`: 12 failed requests in head, none in base",
      "<summary>1 benchmark inconclusive",
      "<summary>2 benchmarks unchanged",
      "<summary>1 benchmark identical on both sides",
      "<summary>Figures: Interfaces (5 benchmarks)",
      "<summary>Figures: CPU bound (2 benchmarks)",
      "<summary>How this was measured",
      "dist/cli.js run interfaces/asgi-echo interfaces/rsgi-bytes --base",
    ].map((part) => markdown.indexOf(part));
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it("shows the metrics that changed and no others, a row's name once", () => {
    const [changes = []] = tablesOf(renderGfm(renderComment(sampleFacts())));
    expect(changes.map((row) => row.map((cell) => cell.replaceAll("\u00A0", " ")))).toEqual([
      ["Benchmark", "Verdict", "Change", "Base → head"],
      ["interfaces / RSGI bytes (c256)", "worse", "throughput -7.0 % ±1.2 %", "20153 → 18742 req/s"],
      ["interfaces / ASGI echo (c64)", "better", "throughput +5.0 % ±1.2 %", "20153 → 21161 req/s"],
      ["", "better", "CPU per request -5.0 % ±1.2 %", "49.41 → 46.94 µs"],
    ]);
  });

  it("gives the minimum detectable change of an inconclusive row", () => {
    expect(renderComment(sampleFacts())).toContain(
      "| cpu-bound / Flask dev server (c100) | +0.2 % ±1.2 % (4.1 %) | -0.2 % ±1.2 % (4.1 %) |",
    );
  });

  it("tells rows of one title apart", () => {
    const markdown = renderComment(sampleFacts());
    expect(markdown).toContain("| concurrency/asgi-workers-1 (c256) |");
    expect(markdown).toContain("| concurrency/asgi-workers-2 (c256) |");
  });

  it("links both commits, the run and the artifact, and nothing else", () => {
    const html = renderGfm(renderComment(sampleFacts()));
    expect([...html.matchAll(/href="(.*?)"/g)].map((match) => match[1])).toEqual([
      `https://github.com/octo/app/commit/${HEAD_SHA}`,
      `https://github.com/octo/app/commit/${SHA}`,
      PLACE.runUrl,
      PLACE.artifactUrl,
    ]);
  });

  it("links the page first, where a browser can open it", () => {
    const pageUrl = "https://github.com/octo/app/actions/runs/77/artifacts/6";
    const { where, ...facts } = sampleFacts();
    expect(renderComment({ ...facts, where: { ...where, pageUrl } })).toContain(
      `See [the page](${pageUrl}), [the run](${PLACE.runUrl}), [all results](${PLACE.artifactUrl}).`,
    );
  });

  it("says where the figures come from", () => {
    const markdown = renderComment(sampleFacts());
    for (const fact of [
      "AMD Ryzen 7 5700X, 2 CPUs, Ubuntu 24.04",
      "fingerprint `9b1d0c7e`",
      "Granian 2.8.0, Flask 3.1.2",
      "Python 3.11.2, oha 1.16.0, server-bench 0.1.0, profile standard",
      `Head was checked out as \`${MERGE_SHA}\` on refs/pull/7/merge`,
      "Control, identical on both sides: interfaces / Uvicorn bytes (c256)",
      "Warning: 2 CPUs: the server runs on one",
      "Benchmarks are tested after 4, 6, 8, 12, 18, 24 and 32 pairs and stop once decided",
    ])
      expect(markdown, fact).toContain(fact);
  });

  it("has no alarm after a good run", () => {
    const rows = [compared("interfaces/a", "unchanged"), compared("interfaces/b", "inconclusive")];
    const text = visible(renderComment(facts({ ...sampleResults(), comparison: comparison(rows) })));
    expect(text).toContain("No change found in 2 benchmarks.");
    expect(text).not.toMatch(/worse|warning|failed|missing|not measured|stopped/i);
    expect(text).not.toContain("<table>");
  });

  it("says that the control moved, which makes the verdicts doubtful", () => {
    const { results } = sampleFacts();
    const doubt = "The control (Uvicorn bytes) seems to have changed, although it is identical on both sides";
    const of = comparison(results.comparison?.rows ?? [], { notes: [doubt] });
    expect(visible(renderComment(facts({ ...results, comparison: of })))).toContain(doubt);
  });

  it("lists the shards that are missing and their rows as not measured", () => {
    const missing = [
      { shard: "2/4", reason: "its job was cancelled.", rows: ["http2/a", "http2/b"] },
      { shard: "4/4", reason: "no artifact", rows: [] },
    ];
    const { results } = sampleFacts();
    const text = visible(renderComment(facts({ ...results, run: { ...results.run, missing } })));
    expect(text).toContain("Not measured: 2 benchmarks of 2 shards.");
    expect(text).toContain("shard <code>2/4</code>: its job was cancelled: <code>http2/a</code>, <code>http2/b</code>");
    expect(text).toMatch(/shard <code>4\/4<\/code>: no artifact<\/li>/);
  });

  it("lists them once in a run that did not end", () => {
    const { results } = sampleFacts();
    const missing = [{ shard: "2/4", reason: "no results", rows: ["http2/a"] }];
    const text = visible(renderComment(facts({ ...results, run: { ...results.run, finishedAt: null, missing } })));
    expect(text).toContain("Not measured: 1 benchmark of 1 shard.");
    expect(text.match(/2\/4/g)).toHaveLength(1);
  });

  it("clips a note: in full it stands in the report", () => {
    const lines = renderComment(sampleFacts({ notes: ["word ".repeat(200)] })).split("\n");
    expect(lines.find((line) => line.startsWith("- word"))).toHaveLength("- ".length + 300);
  });

  it("has no empty brackets where the cost of a control is not known", () => {
    const markdown = renderComment(sampleFacts());
    expect(markdown).toContain("Control, identical on both sides: interfaces / Uvicorn bytes (c256)");
    expect(markdown).not.toContain("()");
  });

  it("begins below a hidden line", () => {
    expect(renderGfm(`<!-- hidden -->\n${renderComment(sampleFacts())}`)).toContain("<h3>Server benchmarks</h3>");
  });

  it("says when a run did not end", () => {
    const { results } = sampleFacts();
    const text = visible(renderComment(facts({ ...results, run: { ...results.run, finishedAt: null } })));
    expect(text).toContain("The run did not finish.");
    expect(text).toContain("2 CPUs: the server runs on one");
  });
});

describe("the comment against stored results", () => {
  const stored = {
    ...{ sha: SHA, newest: "2025-01-03T02:28:11Z" },
    ...{ runUrl: "https://github.com/octo/app/actions/runs/5", behind: "3" },
  };

  it("says of what day base is, and how far behind", () => {
    const results = sampleComparison();
    const of = results.comparison && { ...results.comparison, base: stored };
    const html = visible(renderComment(facts({ ...results, ...(of && { comparison: of }) })));
    expect(html).toContain("of Fri 03 Jan 2025, 02:28 UTC (");
    expect(html).toContain('<a href="https://github.com/octo/app/actions/runs/5">stored run</a>');
    expect(html).toContain("3 commits behind the base branch");
    expect(html).toContain("suspect: worse");
  });

  it("links an address of the results only where it is a run of this repository", () => {
    const linked = (runUrl: string) => {
      const results = sampleComparison();
      const base = { ...results.comparison?.base, runUrl, behind: "2" };
      const of = results.comparison && { ...results.comparison, base };
      return renderGfm(renderComment(facts({ ...results, ...(of && { comparison: of }) })));
    };
    expect(linked("https://github.com/octo/app/actions/runs/5")).toContain(">stored run</a>");
    for (const bad of [
      "https://evil.example/actions/runs/5",
      "https://github.com/octo/app/actions/runs/5/../../../../evil",
      "https://github.com/octo/app/actions/runs/5)[x](https://evil.example",
      "javascript:alert(1)",
    ])
      expect(linked(bad), bad).not.toContain("stored run</a>");
  });

  it("keeps what few files cannot say in the fold where nothing was found", () => {
    const results = sampleComparison();
    const notes = ["One base run does not show how much runs differ."];
    const quiet = comparison([compared("interfaces/a", "inconclusive")], { mode: "artifact", notes, base: stored });
    const markdown = renderComment(facts({ ...results, comparison: quiet }));
    expect(visible(markdown)).not.toContain("One base run");
    expect(markdown).toContain("One base run");
    const found = comparison([compared("interfaces/a", "suspect-worse")], { mode: "artifact", notes });
    expect(visible(renderComment(facts({ ...results, comparison: found })))).toContain("One base run");
  });
});

describe("the comment without a base", () => {
  it("shows the tables, and says why there is no verdict", () => {
    const reason = "no baseline yet: the workflow has not run on main.";
    const note = "The input budget has nothing to apply to in this run.";
    const results = withoutComparison();
    const nothingToCompare = { kind: "stored" as const, reason };
    const run = { ...results.run, nothingToCompare, warnings: [...results.run.warnings, note] };
    const html = renderGfm(renderComment(facts({ ...results, run }, { notes: [note] })));
    expect(html).toContain("13 benchmarks of 3 sets measured; 1 failed; 1 skipped.");
    expect(html).toContain(`<li><strong>Nothing to compare with:</strong> ${reason}</li>`);
    expect(html).toContain(`<li>${note}</li>`);
    // Said above the tables, and not once more with the warnings below them.
    expect(html.indexOf(note)).toBeLessThan(html.indexOf("<table>"));
    expect(html.slice(html.indexOf("<table>"), html.indexOf("How this was measured"))).not.toContain(note);
    expect(html.match(/<details open>/g)).toHaveLength(3);
    expect(html.indexOf("<table>")).toBeLessThan(html.indexOf("How this was measured"));
  });

  describe("says in full why there is none: the repository's reason, and the stored results'", () => {
    const base = `base cannot be measured: ${"the commit is not in this checkout. ".repeat(5)}`;
    const reason = `${base}No stored results are a base: ${"the workflow has not run on main; ".repeat(5).trim()}`;

    it("for the whole run", () => {
      const results = withoutComparison();
      const nothingToCompare = { kind: "stored" as const, reason };
      expect(rendered({ ...results, run: { ...results.run, nothingToCompare } })).toContain(reason);
    });

    it("for the rows of a shard", () => {
      const notCompared = [
        { kind: "not-comparable" as const, id: "interfaces/a", connections: 16, title: "a", reason },
      ];
      const found = comparison([compared("interfaces/b", "unchanged")], { notCompared });
      expect(rendered({ ...sampleResults(), comparison: found })).toContain(reason);
    });

    const rendered = (results: Results) => renderGfm(renderComment(facts(results)));
  });

  it("leaves long tables folded", async () => {
    const html = renderGfm(renderComment(facts(await builtInResults())));
    expect(html.match(/<details open>/g)?.length ?? 0).toBeLessThan(6);
    expect(html.match(/<details>/g)?.length).toBeGreaterThan(10);
  });

  it("says when the files could not be compared", () => {
    const of = comparison([], { mode: "artifact", notComparable: ["kernel: 6.8 in base, 7.0 in head"] });
    const html = renderGfm(renderComment(facts({ ...sampleResults(), comparison: of })));
    expect(html).toContain(
      "<strong>Not comparable with base.</strong></p>\n<p>Reason: kernel: 6.8 in base, 7.0 in head.",
    );
    expect(html).toContain("<details open>");
  });
});

describe("while there are no results", () => {
  const { runUrl } = PLACE;

  it("says that it measures, since when and how far", () => {
    const state = { rows: 40, done: 12, startedAt: "2025-01-03T02:28:11Z", runUrl };
    const html = renderGfm(renderMeasuring({ ...state, minutesLeft: 13.6 }));
    expect(html).toContain("12 of 40 benchmarks done, about 14 min left.");
    expect(html).toContain("Started Fri 03 Jan 2025, 02:28 UTC.");
    expect(html).toContain(`<a href="${runUrl}">`);
    expect(renderMeasuring(state)).toContain("12 of 40 benchmarks done.");
  });

  it("says that it waits for another run, and until when", () => {
    const state = { rows: 40, done: 0, startedAt: "2025-01-03T02:28:11Z", runUrl };
    const waiting = (until: string | null) => renderMeasuring({ ...state, wait: { until, minutesAtMost: 30 } });
    expect(waiting("2025-01-03T02:41:00.000Z")).toContain(
      "**Waiting:** another run measures on this machine, until about 02:41 UTC. This run waits at most 30 min, then measures 40 benchmarks.",
    );
    expect(waiting(null)).toContain("another run measures on this machine. This run waits at most 30 min");
    expect(waiting(null)).not.toContain("Measuring");
  });

  it("says why it stopped, with what is there", () => {
    expect(renderStopped({ reason: "no results", runUrl })).toMatch(/See .* for its log\.$/);
    const html = renderGfm(renderStopped({ reason: "@octocat cancelled <b>it</b>.", runUrl, done: 3 }));
    expect(html).toContain("3 results had been measured.");
    expectHarmless(html, OWN_TAGS);
    const whole = renderGfm(renderStopped({ reason: "the run was cancelled", runUrl, facts: sampleFacts() }));
    expect(whole).toContain("the run was cancelled. What was measured until then:");
    expect(whole).toContain("RSGI bytes (c256)");
    expect(whole).not.toContain("@octocat");
  });
});

/** Compared side by side, compared with stored results, and not compared. */
function hostileComments(next: () => string): string[] {
  const hostile = hostileFacts(next);
  const { comparison: of, ...results } = hostile.results;
  return [
    renderComment(hostile),
    renderComment({ ...hostile, results: { ...results, ...(of && { comparison: { ...of, mode: "artifact" } }) } }),
    renderStopped({ reason: next(), runUrl: next(), facts: { ...hostile, results } }),
    renderComment({ ...hostile, results, notes: [next()] }),
  ];
}

function expectSound(markdown: string): void {
  const html = renderGfm(markdown);
  expectHarmless(html, OWN_TAGS);
  expectBalanced(html);
  for (const table of tablesOf(html)) expect(new Set(table.map((row) => row.length)).size).toBe(1);
  for (const [, href = ""] of html.matchAll(/href="(.*?)"/g))
    expect(href).toMatch(/^https:\/\/github\.com\/octo\/app\//);
}

describe("foreign text", () => {
  it.each(HOSTILE)("does nothing but be read: %j", (text) => {
    for (const markdown of hostileComments(() => text)) expectSound(markdown);
  });

  it("does nothing but be read, whatever it is", () => {
    const texts = randomTexts(200, 11);
    let used = 0;
    const next = () => texts[used++ % texts.length] ?? "";
    while (used < 4 * texts.length) for (const markdown of hostileComments(next)) expectSound(markdown);
  });

  it("ends no link of ours", () => {
    const where = {
      ...{ repository: "octo/app) [x](https://evil.example", serverUrl: "https://github.com" },
      ...{ runUrl: "https://github.com/octo/app/x) [y](https://evil.example `", headSha: HEAD_SHA },
    };
    const html = renderGfm(renderComment({ ...sampleFacts(), where }));
    for (const [, href = ""] of html.matchAll(/href="(.*?)"/g))
      expect(href).toMatch(/^https:\/\/github\.com\/octo\/app/);
    const none = renderGfm(renderComment({ ...sampleFacts(), where: { ...where, runUrl: "javascript:alert(1)" } }));
    expect(none).not.toContain("javascript");
  });
});

/** A column cannot be narrower than its longest word, and takes room beside it. */
function columnsOf(table: readonly (readonly string[])[]): number {
  const widths = (table[0] ?? []).map((_, i) =>
    Math.max(
      ...table.map((row) => Math.max(...(row[i] ?? "").split(/ |(?<=[-/])(?!\d)/).map((word) => stringWidth(word)))),
    ),
  );
  return widths.reduce((sum, width) => sum + width + 4, 0);
}

describe("the width of a conversation", () => {
  /** Characters of 14 px in 740 px. */
  const LINE = 98;

  it("is enough for every table of the built-in sets", async () => {
    const results = await builtInResults((id) => (id.includes("asgi") ? "worse" : "inconclusive"));
    const tables = tablesOf(renderGfm(renderComment(facts(results), 1_000_000)));
    expect(tables.length).toBeGreaterThan(17);
    for (const table of tables) expect(columnsOf(table), table[0]?.join()).toBeLessThanOrEqual(LINE);
  });

  it("is enough for names that are too long", () => {
    const title = "a_name_without_any_place_to_break_it_".repeat(9);
    const chained = `${"x".repeat(30)}-`.repeat(3);
    const rows = [
      compared("interfaces/a", "worse", { title }),
      compared("interfaces/b", "suspect-better", { title: chained }),
    ];
    const of = comparison([...rows, compared(`interfaces/${title}`, "unchanged", { title: "Short" })], {
      notCompared: [{ ...notCompared(`interfaces/${title}`, "new"), title: "Another" }],
    });
    const markdown = renderComment(facts({ ...sampleResults(), comparison: of }));
    for (const table of tablesOf(renderGfm(markdown))) expect(columnsOf(table)).toBeLessThanOrEqual(LINE);
    expect(markdown).toContain(`${"x".repeat(21)}... (c256)`);
  });

  it("lets an id be long: it is what tells rows apart", () => {
    const ids = ["st", "mt"].map((mode) => `concurrency/wsgi-${mode}-workers-13-threads-1-blocking-threads-1-${mode}`);
    const rows = ids.map((id) => compared(id, "worse", { title: "workers" }));
    const markdown = renderComment(facts({ ...sampleResults(), comparison: comparison(rows) }));
    for (const id of ids) expect(markdown).toContain(`| ${id} (c256) |`);
  });

  it("leaves out the least telling columns and says which", () => {
    const markdown = renderComment(sampleFacts());
    expect(markdown).toContain("| Server | Failures | RPS | Time per request (ms) | 50% | 90% | 100% |");
    expect(markdown).toContain("Left out for width: 60%, 70%, 80%.");
  });
});

describe("the comment of a run that measured no time", () => {
  const counted: NonNullable<ComparedRow["instructions"]> = {
    state: "measured",
    ...{ source: "callgrind", version: "3.19.0", connections: 1, requests: 1000 },
    rounds: [{ hashSeed: 1, seconds: 7, head: [49_091, 49_093] }],
  };

  it("shows what was counted without a base, and no empty tables", () => {
    const furtherMetrics = [{ id: "interfaces/rsgi-bytes", title: "RSGI bytes", instructions: counted }];
    const shown = visible(renderComment(facts({ ...withoutComparison(), cases: [], furtherMetrics })));
    expect(shown).toContain("1 benchmark: 1 with instructions or memory measured.");
    const markdown = renderComment(facts({ ...withoutComparison(), cases: [], furtherMetrics }));
    expect(markdown).toMatch(
      /<summary>Instructions \(1 benchmark\)<\/summary>\n\n\| Benchmark .*\n.*\n\| interfaces\/rsgi-bytes \| +49092 \|/,
    );
    expect(markdown).not.toContain("No benchmark of this set was measured");
    expect(markdown).not.toContain("Servers: none");
  });

  it("says nothing of pairs, and has no empty tables, beside a base", () => {
    const row = { ...compared("interfaces/a", "unchanged"), recorded: [], instructions: counted };
    const markdown = renderComment(facts({ ...sampleResults(), cases: [], comparison: comparison([row]) }));
    expect(markdown).not.toContain("No benchmark of this set was measured");
    expect(markdown).not.toContain("0 pairs");
    expect(markdown).not.toContain("run side by side in pairs");
  });
});

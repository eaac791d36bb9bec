/** A comment fits GitHub's limit, whatever there is to say: parts are left out whole, in a fixed order, and it says so. */

import { describe, expect, it } from "vitest";
import { renderComment, renderStopped } from "../../../src/report/comment/comment.js";
import type { CommentFacts } from "../../../src/report/comment/facts.js";
import { fitSections } from "../../../src/report/text/fit-to-limit.js";
import { builtInResults, compared, comparison, facts, notCompared, PLACE, sampleFacts } from "../../support/comment.js";
import { renderGfm, tablesOf, tagsOf } from "../../support/gfm.js";
import { expectBalanced } from "../../support/hostile.js";
import { sampledProfile } from "../../support/profile.js";
import { completed, failed, interfacesSet, resultsOf, sampleResults } from "../../support/results.js";

const LIMIT = 65_000;
const OWN_TAGS = "a code details h3 li p pre strong summary table tbody td th thead tr ul".split(" ");

function sized(of: CommentFacts, limit = LIMIT): string {
  const markdown = renderComment(of, limit);
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(limit);
  const html = renderGfm(markdown);
  expectBalanced(html);
  expect(tagsOf(html).filter((tag) => !OWN_TAGS.includes(tag))).toEqual([]);
  for (const table of tablesOf(html)) expect(new Set(table.map((row) => row.length)).size).toBe(1);
  return markdown;
}

const builtIn = await builtInResults((id) => (id.startsWith("interfaces/") ? "worse" : "inconclusive"));

describe("all built-in sets", () => {
  it("fit as a whole run without a base, apart from what is least needed", () => {
    const { comparison: _, ...results } = builtIn;
    expect(results.sets.length).toBeGreaterThanOrEqual(17);
    const markdown = sized(facts(results));
    for (const set of results.sets) expect(markdown, set.name).toContain(set.title);
  });

  it("fit with a comparison of each row", () => {
    const markdown = sized(facts(builtIn));
    for (const { title } of builtIn.cases.filter(({ set }) => set === "interfaces")) expect(markdown).toContain(title);
  });

  it("are the same text every time", () => {
    for (const limit of [LIMIT, 8000]) expect(sized(facts(builtIn), limit)).toBe(sized(facts(builtIn), limit));
  });

  it("stand for 300 rows of 17 sets", () => {
    const sets = Array.from({ length: 17 }, (_, i) => ({ ...interfacesSet, name: `set-${i}`, title: `Set ${i}` }));
    const ids = Array.from({ length: 300 }, (_, i) => `set-${i % 17}/row-${i}`);
    const cases = ids.map((id, i) => completed(id, `A row with a title of its own ${i}`, 256, 10_000 + i));
    const rows = ids.map((id, i) => compared(id, i % 5 === 0 ? "worse" : "unchanged", { title: `Row ${i}` }));
    const markdown = sized(facts({ ...resultsOf(cases, { sets }), comparison: comparison(rows) }));
    for (let i = 0; i < 300; i += 5) expect(markdown).toContain(`| set-${i % 17} / Row ${i} (c256) | **worse**`);
  });
});

/** Two sets with a change and two without, so that each step shows. */
function steps(): CommentFacts {
  const sets = ["quiet-a", "changed-a", "quiet-b", "changed-b"].map((name) => ({
    ...interfacesSet,
    name,
    title: name,
  }));
  const cases = sets.flatMap(({ name }) => [
    ...Array.from({ length: 20 }, (_, i) => completed(`${name}/row-${i}`, `${name} ${i}`, 256, 10_000)),
    failed(`${name}/broken`, "Broken", 256, { log: "line of a log\n".repeat(20) }),
  ]);
  const rows = sets.flatMap(({ name }) => [
    ...Array.from({ length: 10 }, (_, i) =>
      compared(`${name}/row-${i}`, name.startsWith("changed") ? "worse" : "unchanged", { title: `${name} ${i}` }),
    ),
    ...Array.from({ length: 10 }, (_, i) =>
      compared(`${name}/maybe-${i}`, "inconclusive", { title: `${name} maybe ${i}` }),
    ),
  ]);
  const kinds = ["cannot-have-changed", "failed-in-head"] as const;
  const others = kinds.flatMap((kind) =>
    Array.from({ length: 12 }, (_, i) => notCompared(`quiet-a/${kind}-${i}`, kind, `why ${i}`)),
  );
  return facts({ ...resultsOf(cases, { sets }), comparison: comparison(rows, { notCompared: others }) });
}

describe("what is left out", () => {
  /** The signs of each part, in the order in which they go. */
  const PARTS = [
    "Last lines of its log",
    "<summary>Figures: quiet-b",
    "<summary>Figures: quiet-a",
    "<summary>How this was measured",
    "<summary>Figures: changed-b",
    "<summary>Figures: changed-a",
    "<summary>12 benchmarks identical on both sides",
    "<summary>20 benchmarks unchanged",
    "<summary>40 benchmarks inconclusive",
    "why 9",
    "| changed-b / changed-b 9 (c256) |",
    "why 2",
  ];

  it("goes in a fixed order as the room shrinks, and never comes back", () => {
    let before = PARTS.length + 1;
    const seen = new Set<number>();
    for (let limit = 40_000; limit >= 1000; limit -= 200) {
      const markdown = renderComment(steps(), limit);
      expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(limit);
      const present = PARTS.map((part) => markdown.includes(part));
      const gone = present.lastIndexOf(false) + 1;
      expect(present, `at ${limit}`).toEqual(PARTS.map((_, i) => i >= gone));
      const left = PARTS.length - gone;
      expect(left).toBeLessThanOrEqual(before);
      before = left;
      seen.add(gone);
    }
    expect([...seen].sort((a, b) => a - b)).toEqual(PARTS.map((_, i) => i).concat(PARTS.length));
  });

  it("is named at the end, with the way to all of it", () => {
    expect(sized(steps())).not.toContain("Left out");
    const markdown = sized(steps(), 9000);
    const [, closing = ""] = /\n\n(Left out for GitHub's limit: .*)$/s.exec(markdown) ?? [];
    for (const part of ["logs of failed benchmarks", "how this was measured", "the tables of quiet-b, quiet-a"])
      expect(closing).toContain(part);
    expect(closing).toContain(`[the whole report](${PLACE.artifactUrl})`);
  });

  it("is linked to the run where there is no artifact", () => {
    const { artifactUrl: _, ...where } = PLACE;
    expect(sized({ ...steps(), where }, 9000)).toContain(`See [the run](${PLACE.runUrl})`);
  });

  it("names no part that the results do not have", () => {
    const profiles = [sampledProfile()];
    const sampled = { ...steps(), results: { ...steps().results, profiles } };
    expect(renderComment(sampled, 4000)).toContain("where the time went");
    const { cases } = steps().results;
    const completedAlone = cases.filter(({ state }) => state === "completed");
    const plain = renderComment({ ...steps(), results: { ...steps().results, cases: completedAlone } }, 4000);
    expect(plain).toContain("Left out for GitHub's limit");
    for (const part of ["where the time went", "logs of failed benchmarks"]) expect(plain).not.toContain(part);
  });

  it("counts further changes only below the ones that are shown", () => {
    for (let limit = 3000; limit >= 600; limit -= 50) {
      const markdown = renderComment(steps(), limit);
      const shown = markdown.includes("| Benchmark | Verdict |");
      expect(/and \d+ more changes/.test(markdown), `at ${limit}`).toBe(shown);
    }
    expect(renderComment(steps(), 600)).toContain("changes beyond those shown");
  });

  it("is said of the changes too", () => {
    const markdown = sized(steps(), 2500);
    const shown = tablesOf(renderGfm(markdown))[0]?.length ?? 1;
    expect(shown).toBeGreaterThan(2);
    expect(markdown).toContain(`and ${20 - (shown - 1)} more changes`);
  });
});

describe("too much of everything", () => {
  it("is cut: 10,000 changed rows", () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `interfaces/row-${i}`);
    const cases = ids.map((id, i) => completed(id, `Row ${i}`, 256, 10_000));
    const rows = ids.map((id, i) => compared(id, "worse", { title: `Row ${i}`, notes: [`note ${i}`] }));
    const of = facts({ ...resultsOf(cases), comparison: comparison(rows) });
    const started = process.cpuUsage();
    renderComment(of);
    // Microseconds; 1.5 s on a machine of 2024.
    expect(process.cpuUsage(started).user).toBeLessThan(10_000_000);
    const markdown = sized(of);
    expect(markdown).toContain("**10000 of 10000 benchmarks are slower, up to 7.0 %.");
    const shown = (tablesOf(renderGfm(markdown))[0]?.length ?? 1) - 1;
    expect(shown).toBeGreaterThan(500);
    expect(markdown).toContain(`and ${10_000 - shown} more changes`);
  });

  it("is cut: rows apart, missing shards, notes and warnings", () => {
    const results = sampleResults();
    const text = (i: number) => `${i} ${"long ".repeat(100)}`;
    const many = Array.from({ length: 1000 }, (_, i) =>
      notCompared(`interfaces/row-${i}`, i % 2 ? "failed-in-head" : "new", text(i)),
    );
    const markdown = sized(
      facts(
        {
          ...results,
          run: {
            ...{ ...results.run, warnings: many.map((_, i) => text(i)), command: many.map((_, i) => text(i)) },
            missing: many.map((_, i) => ({ shard: `${i}/1000`, reason: text(i), rows: many.map(({ id }) => id) })),
          },
          comparison: comparison([compared("interfaces/a", "worse")], { notCompared: many }),
        },
        {
          notes: many.map((_, i) => text(i)),
        },
      ),
    );
    expect(markdown).toContain("500 benchmarks failed in head only");
    expect(markdown).toContain("and 490 more of this kind");
  });

  it.each([
    ["a title of 1 MB", "x".repeat(1_000_000)],
    ["a title of 70,000 characters", "y z ".repeat(17_500)],
    ["a title of accents", `e${"\u0301".repeat(100_000)}`],
    ["a title of emoji", "👩‍💻".repeat(20_000)],
    ["a title of marks", "&amp;|`@a".repeat(10_000)],
  ])("is cut: %s", (_, title) => {
    const { results } = sampleFacts();
    const rows = (results.comparison?.rows ?? []).map((row) => ({ ...row, title }));
    const cases = results.cases.map((result) => ({ ...result, title }));
    const sets = results.sets.map((set) => ({ ...set, title }));
    const of = facts({ ...results, cases, sets, comparison: comparison(rows) }, { notes: [title] });
    expect(sized(of)).toContain("**worse**");
    sized(of, 4000);
    const stopped = renderStopped({ reason: title, runUrl: PLACE.runUrl });
    expect(Buffer.byteLength(stopped)).toBeLessThan(3000);
  });

  it("fits in bytes too, where each character has four", () => {
    const title = "🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎";
    const rows = Array.from({ length: 2000 }, (_, i) =>
      compared(`interfaces/${i}`, "worse", { title: `${title}${i}` }),
    );
    sized(facts({ ...sampleResults(), comparison: comparison(rows) }));
  });
});

describe("fitSections", () => {
  const closing = (leftOut: readonly string[]) => `left: ${leftOut.join()}`;

  it("takes the shorter forms by their order, and only as many as it must", () => {
    const sections = [
      { text: "a".repeat(50), shorter: [{ order: 2, text: "", leftOut: "A" }] },
      { text: "b".repeat(50), shorter: [{ order: 1, text: "b", leftOut: "B" }] },
      { text: "c" },
    ];
    expect(fitSections(sections, 200, closing)).toBe(`${"a".repeat(50)}\n\n${"b".repeat(50)}\n\nc`);
    expect(fitSections(sections, 100, closing)).toBe(`${"a".repeat(50)}\n\nb\n\nc\n\nleft: B`);
    expect(fitSections(sections, 40, closing)).toBe("b\n\nc\n\nleft: B,A");
  });

  it("gives a form the room that the others leave", () => {
    let given = 0;
    const fill = (room: number) => {
      given = room;
      return "x".repeat(room);
    };
    const sections = [{ text: "a" }, { text: "b".repeat(99), shorter: [{ order: 1, text: fill, leftOut: "B" }] }];
    const text = fitSections(sections, 60, closing);
    expect(given).toBeGreaterThan(40);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60);
    expect(Buffer.byteLength(text)).toBeGreaterThan(55);
  });
});

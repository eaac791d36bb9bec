/** Where the time went, as Markdown, as HTML and as a file for speedscope. */
import { describe, expect, it } from "vitest";
import { samplesOf } from "../../../src/compare/profile.js";
import { parseStacks } from "../../../src/compare/profile-stacks.js";
import { profileTree } from "../../../src/compare/profile-tree.js";
import { renderComment } from "../../../src/report/comment/comment.js";
import { renderPage } from "../../../src/report/html/page.js";
import { renderReport } from "../../../src/report/markdown/report.js";
import { profileFiles } from "../../../src/report/profile/files.js";
import { flameGraph } from "../../../src/report/profile/flame.js";
import { profilesMarkdown } from "../../../src/report/profile/markdown.js";
import { speedscopeText } from "../../../src/report/profile/speedscope.js";
import { differenceText, profileLine, timeText } from "../../../src/report/profile/text.js";
import type { RowProfile, SampledProfile } from "../../../src/results/profile.js";
import { HEAD_SHA, sampleFacts } from "../../support/comment.js";
import { sampledProfile } from "../../support/profile.js";

const FAILED: RowProfile = { state: "failed", id: "mine/other", connections: 16, reason: "base: py-spy ended" };

describe("figures", () => {
  it.each([
    [3.1, "3.10 µs"],
    [12.34, "12.3 µs"],
    [9.999, "10.0 µs"],
    [412.4, "412 µs"],
    [12_340, "12.3 ms"],
  ])("%f µs", (us, text) => expect(timeText(us)).toBe(text));
  it("of a difference have a sign and one unit", () => {
    expect(differenceText({ differenceUs: 3.1, errorUs: 0.42 })).toBe("+3.10 ±0.42 µs");
    expect(differenceText({ differenceUs: -15_300, errorUs: 420 })).toBe("-15.3 ±0.42 ms");
  });
});

describe("profilesMarkdown", () => {
  it("has a fold for each row, which leads with the largest difference", () => {
    const text = profilesMarkdown([sampledProfile(), FAILED]);
    expect(text).toContain(
      "<summary>Where the time went in mine/slow (c16): planted (app.py:4) +3.63 ±1.49 µs a request, and 1 more</summary>",
    );
    expect(text).toContain("| planted | app.py:4 | 0.40 µs | 4.03 µs | +3.63 ±1.49 µs |\n");
    expect(text).toContain(
      "| \\_granian.so | granian/\\_granian.so (library without symbols) | 9.10 µs | 6.40 µs | -2.70 ±1.20 µs |",
    );
    expect(text).toContain("- No profile of `mine/other (c16)`: base: py-spy ended");
    expect(text).toContain("The stacks are among the results: `profiles/");
    expect(profilesMarkdown([sampledProfile()], { files: false })).not.toContain("The stacks are");
    expect(profilesMarkdown([])).toBe("");
  });
  it("says where nothing differs", () => {
    const text = profilesMarkdown([{ ...sampledProfile(), functions: [] }]);
    expect(text).toContain("mine/slow (c16): no function&#39;s time differs".replace("&#39;", "'"));
    expect(text).not.toContain("| Function |");
  });
  it("has one fold for all rows in which nothing differs, after those in which something does", () => {
    const quiet = (id: string) => ({ ...sampledProfile(), id, functions: [] });
    const text = profilesMarkdown([quiet("mine/a"), sampledProfile(), quiet("mine/b")]);
    const summaries = [...text.matchAll(/<summary>(.*?)<\/summary>/g)].map(([, summary]) => summary);
    expect(summaries).toEqual([
      expect.stringContaining("in mine/slow (c16): planted"),
      "Where the time went in 2 benchmarks: no function's time differs by more than the sampling error",
    ]);
    expect(text).toMatch(/- `mine\/a \(c16\)`: CPU time per request .*\n- `mine\/b \(c16\)`: CPU time per request /);
  });
  it("gives a reason once for all rows without a profile that have it", () => {
    const text = profilesMarkdown([FAILED, { ...FAILED, id: "mine/third" }]);
    expect(text).toMatch(/^- No profile of `mine\/other \(c16\)`, `mine\/third \(c16\)`: base: py-spy ended.*$/);
  });
  it("lets names of functions do nothing", () => {
    const name = "<img src=x onerror=1> @octo/team `x` | [a](b)";
    const [first] = sampledProfile().functions;
    if (!first) throw new Error("the sample has functions");
    const text = profilesMarkdown([{ ...sampledProfile(), functions: [{ ...first, name }] }]);
    expect(text).not.toContain("<img");
    expect(text).not.toMatch(/@octo/);
  });
});

describe("reports", () => {
  const facts = sampleFacts();
  const results = { ...facts.results, profiles: [sampledProfile()] };
  it("have the table in the comment, in report.md and on the page", () => {
    expect(renderComment({ ...facts, results })).toContain("| planted | app.py:4 |");
    expect(renderReport(results)).toContain("| planted");
    expect(renderPage(results)).toContain("<code>app.py:4</code>");
  });
  it("leave it out where a pull request's own run made it", () => {
    const trust = { kind: "pull-request-run", head: "verified", base: "claimed" } as const;
    const shown = [
      renderComment({ ...facts, results, trust }),
      renderReport(results, { trust }),
      renderPage(results, { trust }),
    ];
    for (const text of shown) {
      expect(text).not.toContain("planted");
      expect(text).toContain("1 profile");
    }
    expect(HEAD_SHA).toBe(facts.where.headSha);
  });
});

const BASE = "run (a.py:1);send (a.py:9) 300\nrun (a.py:1);gone (a.py:20) 100\n";
const HEAD = "run (a.py:1);send (a.py:9) 300\nrun (a.py:1);slow (b.py:3);<lambda> (b.py:9) 200\n";
const STACKS = { base: parseStacks(BASE), head: parseStacks(HEAD) };
const side = (of: keyof typeof STACKS, cpuPerRequestUs: number) => ({
  samples: samplesOf(STACKS[of]),
  cpuPerRequestUs,
  processes: 3,
});
const TREE = profileTree({ base: side("base", 40), head: side("head", 50) }, STACKS);

describe("the flame graph", () => {
  const svg = flameGraph(TREE, "a title").text;
  const frames = [...svg.matchAll(/<svg x="([\d.]+)%" y="(\d+)" width="([\d.]+)%"[^>]*><title>([^:]*)/g)].map(
    ([, x, y, width, title]) => ({ x: Number(x), y: Number(y), width: Number(width), title }),
  );

  it("is as wide at each depth as the calls above, and no call covers another", () => {
    expect(frames.map(({ title }) => title)).toEqual([
      "run (a.py",
      "gone (a.py",
      "send (a.py",
      "slow (b.py",
      "&lt;lambda&gt; (b.py",
    ]);
    const second = frames.filter(({ y }) => y === 20);
    expect(second.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(100, 1);
    for (const [i, { x }] of second.entries()) {
      const before = second[i - 1];
      if (before) expect(x).toBeCloseTo(before.x + before.width, 2);
    }
  });
  it("draws calls with nothing in between as one", () => {
    const text = "a (a.py:1);b (a.py:2);c (a.py:3);d (a.py:4) 300\nx (a.py:5);y (a.py:6) 100\n";
    const stacks = { base: parseStacks(text), head: parseStacks(text) };
    const of = { samples: 400, cpuPerRequestUs: 40, processes: 3 };
    const drawn = flameGraph(profileTree({ base: of, head: of }, stacks), "a title").text;
    const names = [...drawn.matchAll(/<text[^>]*>([^<]*)/g)].map(([, name]) => name);
    expect(names).toEqual(["all", "a → … → d (4 calls)", "x", "y"]);
    expect(drawn).toContain("<title>a (a.py:1) → b (a.py:2) → c (a.py:3) → d (a.py:4): 30.0 µs in base");
  });
  it("says by a sign and a colour what is more and less", () => {
    expect(svg).toMatch(/slow[^<]*20\.0 µs in head[^<]*<\/title><rect class="more3"[^>]*><text[^>]*>▲ slow/);
    expect(svg).toMatch(/gone[^<]*<\/title><rect class="less3"[^>]*><text[^>]*>▼ gone/);
    expect(svg).toMatch(/<svg class="flame"[^>]* role="img" aria-label="a title">/);
  });
  it("is on the page of a row whose stacks are at hand", () => {
    const profile = sampledProfile();
    const results = { ...sampleFacts().results, profiles: [profile] };
    const trees = new Map([[profileFiles(profile).head, { state: "read", tree: TREE } as const]]);
    expect(renderPage(results, { rowStacks: trees })).toContain('<svg class="flame"');
    expect(renderPage(results)).not.toContain('<svg class="flame"');
  });
});

describe("the file for speedscope", () => {
  it("has both sides, whose samples name frames", () => {
    const file = JSON.parse(speedscopeText(sampledProfile(), STACKS));
    const named = (i: number) =>
      file.profiles[i].samples.map((sample: number[]) => sample.map((frame) => file.shared.frames[frame].name));
    expect(file.profiles.map(({ name }: { name: string }) => name)).toEqual([
      "mine/slow (c16), base",
      "mine/slow (c16), head",
    ]);
    expect(named(1)).toEqual([
      ["run", "send"],
      ["run", "slow", "<lambda>"],
    ]);
    expect(file.profiles[1]).toMatchObject({ type: "sampled", weights: [300, 200], endValue: 500 });
  });
});

it("a line of the log says what was found", () => {
  const sampled: SampledProfile = sampledProfile();
  expect(profileLine(sampled)).toBe(
    "profile of mine/slow (c16): planted (app.py:4) +3.63 ±1.49 µs a request, and 1 more",
  );
  expect(profileLine(FAILED)).toBe("no profile of mine/other (c16): base: py-spy ended");
});

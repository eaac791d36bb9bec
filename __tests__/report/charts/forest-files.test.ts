/** The forest plot as files for a README. */
import { describe, expect, it } from "vitest";
import { forestFiles } from "../../../src/report/charts/forest-files.js";
import type { Results } from "../../../src/results/schema.js";
import { compared, comparison, sampleFacts } from "../../support/comment.js";
import { HOSTILE } from "../../support/hostile.js";
import { sampleResults } from "../../support/results.js";

const NAMES = ["comparison-light.svg", "comparison-dark.svg"];

function of(rows: Parameters<typeof comparison>[0]): Results {
  return { ...sampleResults(), comparison: comparison(rows) };
}

describe("forestFiles", () => {
  it("are one for light and one for dark pages, with the same drawing in other colours", () => {
    const [light, dark, ...others] = forestFiles(sampleFacts().results);
    expect(others).toEqual([]);
    expect([light?.name, dark?.name]).toEqual(NAMES);
    const plain = (svg = "") => svg.replace(/<style>.*<\/style>/, "");
    expect(plain(light?.svg)).toBe(plain(dark?.svg));
    expect(light?.svg).toContain(".ground{fill:#fff}");
    expect(dark?.svg).toContain(".ground{fill:#0f1419}");
    expect(light?.svg).not.toMatch(/var\(|currentColor|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  });

  it("say in words what they draw", () => {
    const { results } = sampleFacts();
    const [light] = forestFiles(results);
    const [, described = ""] = /<desc id="desc">(.*)<\/desc>/.exec(light?.svg ?? "") ?? [];
    expect(described.split("; ")).toHaveLength(results.comparison?.rows.length ?? 0);
    expect(light?.svg).toMatch(/role="img" aria-labelledby="title desc"/);
  });

  it("draw at most forty rows, those that changed in any case, and count the others", () => {
    const rows = Array.from({ length: 100 }, (_, i) =>
      compared(`interfaces/r-${i}`, i % 20 === 0 ? "worse" : "unchanged"),
    );
    const [light] = forestFiles(of(rows));
    expect(light?.svg.match(/class="mark /g)).toHaveLength(40);
    expect(light?.svg.match(/class="mark worse/g)).toHaveLength(5);
    expect(light?.svg).toContain("60 more benchmarks not drawn.");
  });

  it("are none where nothing was compared", () => {
    expect(forestFiles(sampleResults())).toEqual([]);
    expect(forestFiles(of([]))).toEqual([]);
  });

  it("show hostile names as text", () => {
    for (const name of HOSTILE) {
      const [light] = forestFiles(of([compared("interfaces/a", "worse", { title: name })]));
      expect(
        [...(light?.svg ?? "").matchAll(/<\/?([a-z]+)/g)].map(([, tag]) => tag).filter((tag) => !KNOWN.has(tag ?? "")),
      ).toEqual([]);
    }
  });
});

const KNOWN = new Set(["svg", "title", "desc", "style", "rect", "text", "line", "path"]);

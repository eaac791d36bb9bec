/** A build that fails takes many rows with it: it is reported once, with its first error and one log. */
import { describe, expect, it } from "vitest";
import { renderComment } from "../../../src/report/comment/comment.js";
import { renderReport } from "../../../src/report/markdown/report.js";
import type { FailedCase, Results } from "../../../src/results/schema.js";
import { comparison, facts, notCompared } from "../../support/comment.js";
import { renderGfm } from "../../support/gfm.js";
import { expectBalanced, HOSTILE } from "../../support/hostile.js";
import { completed, failed, interfacesSet, resultsOf } from "../../support/results.js";

const REASON = "head does not build: src/lib.rs:10:5: error[E0308]: mismatched types";
const LOG = "   Compiling granian v2.8.0\nerror[E0308]: mismatched types\n --> src/lib.rs:10:5\n";

function broken(side: FailedCase["side"], reason: string, log = LOG): Results {
  const sets = ["interfaces", "http2"].map((name) => ({ ...interfacesSet, name, title: name }));
  const rows = sets.flatMap(({ name }) => ["a", "b", "c", "d"].map((slug) => `${name}/${slug}`));
  const cases = rows.flatMap((id) => [
    failed(id, id, 64, { side, reason, log }),
    ...(side === "base" ? [completed(id, id, 64, 9000)] : []),
  ]);
  const kind = side === "base" ? "failed-in-base" : "failed-in-head";
  const uncompared = rows.map((id) => ({ ...notCompared(id, kind, reason), connections: 64 }));
  return { ...resultsOf(cases, { sets }), comparison: comparison([], { notCompared: uncompared }) };
}

describe("head that does not build", () => {
  const drawn = [renderComment(facts(broken("head", REASON))), renderReport(broken("head", REASON))];

  it("is reported in words, for all rows together", () => {
    for (const markdown of drawn) {
      expect(markdown).toContain("- All 4 benchmarks: head does not build: src/lib.rs:10:5: error");
      expect(markdown).not.toContain("failed: head does not build");
    }
    expect(drawn[0]?.match(/Failed in head only/g)).toHaveLength(1);
  });

  it("shows its log once, and says where", () => {
    for (const markdown of drawn) {
      expect(markdown.match(/Compiling granian/g)).toHaveLength(1);
      expect(markdown).toContain("(log: see interfaces)");
      expectBalanced(renderGfm(markdown));
    }
  });
});

describe("base that does not build", () => {
  const reason = REASON.replace("head", "base");

  it("leaves head's figures, and shows its log once", () => {
    for (const markdown of [renderComment(facts(broken("base", reason))), renderReport(broken("base", reason))]) {
      expect(markdown).toContain("Failed in base only");
      expect(markdown).toContain("9000");
      expect(markdown.match(/Compiling granian/g)).toHaveLength(1);
      expect(renderGfm(markdown)).toContain("<summary>Log of base: base does not build: src/lib.rs:10:5");
    }
  });

  it.each(HOSTILE)("does nothing but be read: %j", (text) => {
    const html = renderGfm(renderComment(facts(broken("base", text, text))));
    expectBalanced(html);
    expect(html).not.toMatch(/<(script|img|b)\b/);
  });
});

describe("rows that failed for different reasons", () => {
  it("are named with their own", () => {
    const cases = ["a", "b", "c", "d"].map((slug, i) =>
      failed(`interfaces/${slug}`, slug, 64, { reason: `why ${i % 2}` }),
    );
    const markdown = renderReport(resultsOf(cases));
    expect(markdown).toContain("- `a (c64)`, `c (c64)`: failed: why 0");
    expect(markdown).toContain("- `b (c64)`, `d (c64)`: failed: why 1");
  });
});

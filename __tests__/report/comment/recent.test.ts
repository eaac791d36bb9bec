/** The trend of a row that changed, over stored runs of base. */
import { describe, expect, it } from "vitest";
import { renderComment } from "../../../src/report/comment/comment.js";
import { recentSection } from "../../../src/report/comment/recent.js";
import type { Results } from "../../../src/results/schema.js";
import { compared, comparison, facts } from "../../support/comment.js";
import { renderGfm } from "../../support/gfm.js";
import { days } from "../../support/history.js";

const ID = "set-1/row-0";

/** Head is the last of the runs. */
function of(runs: number, options: Omit<Parameters<typeof days>[0], "runs" | "rows"> = {}) {
  const all = [...days({ runs: runs + 1, rows: 1, noise: 0.002, ...options })];
  const [head, recent] = [all.at(-1), all.slice(0, -1)];
  if (!head) throw new Error("no head");
  const row = compared(ID, "worse", { connections: 64, title: "Row 0" });
  const results: Results = { ...head, comparison: comparison([row]) };
  return { results, recent, text: recentSection(results, recent).text };
}

const signsIn = (text: string) => [...text.matchAll(/`([▁-█]+)`/g)].map(([, signs]) => signs ?? "");

describe("recentSection", () => {
  it("shows at most nine runs of base, and head where it was measured alike", () => {
    const { text } = of(14, { speed: (_, run) => (run === 14 ? -0.07 : 0) });
    expect(signsIn(text).map(({ length }) => length)).toEqual([9, 1]);
    const [base, head] = signsIn(text);
    expect(new Set(base)).not.toContain("▁");
    expect(head).toBe("▁");
    expect(text).toMatch(/- `Row 0 \(c64\)`, throughput: `.*`, 19\d{3} to 20\d{3} req\/s; head `▁`, 186\d{2} req\/s/);
  });

  it("draws noise small where the change is large", () => {
    const { text } = of(9);
    expect(new Set(signsIn(text).join("")).size).toBeLessThanOrEqual(3);
  });

  it("leaves head out where it was measured in another way, and joins no two machines", () => {
    const environment = (run: number) => ({ fingerprint: run < 3 ? "older" : run === 8 ? "pairs" : "newer" });
    const { text } = of(8, { environment });
    expect(signsIn(text).map(({ length }) => length)).toEqual([5]);
    expect(text).not.toContain("head");
  });

  it("is left out without enough stored runs, without a change, and for rows that base does not have", () => {
    expect(of(2).text).toBe("");
    const { results, recent } = of(5);
    const with_ = (rows: Parameters<typeof comparison>[0]) => ({ ...results, comparison: comparison(rows) });
    expect(recentSection(with_([compared(ID, "unchanged")]), recent).text).toBe("");
    expect(recentSection(with_([compared("set-1/other", "worse")]), recent).text).toBe("");
    expect(recentSection(results, []).text).toBe("");
  });

  it("leaves out runs that others disturbed", () => {
    const { text } = of(6, {
      change: (one, _, run) => (run === 2 && one.state === "completed" ? { ...one, disturbed: true } : one),
    });
    expect(signsIn(text)[0]).toHaveLength(5);
  });
});

it("is folded in the comment, and goes before what matters more", () => {
  const { results, recent } = of(8);
  const whole = renderComment(facts(results, { recent }));
  expect(renderGfm(whole)).toContain("<summary>Recent runs of base: 1 benchmark</summary>");
  const limit = Buffer.byteLength(whole) - 1;
  const short = renderComment(facts(results, { recent }), limit);
  expect(short).toContain("Left out for GitHub's limit: recent runs of base");
  expect(short).not.toContain("<summary>Recent runs");
});

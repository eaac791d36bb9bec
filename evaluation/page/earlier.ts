/** An evaluation of the first form: its pairs are not kept, so its figures are shown as they were. */
import * as v from "valibot";
import { InputError } from "../../src/errors.js";
import { markdownGrid } from "../../src/report/text/markdown.js";
import { checkShape } from "../../src/results/check.js";
import { percent } from "./words.js";

const share = v.object({ hits: v.number(), of: v.number(), share: v.number() });
const form = v.object({
  recordedAt: v.string(),
  reports: v.number(),
  scores: v.array(
    v.object({
      rule: v.string(),
      pairs: v.string(),
      falsePerRow: share,
      falsePerReport: share,
      found: v.record(v.string(), share),
    }),
  ),
  recorded: v.array(v.object({ server: v.string(), planted: v.number(), pairs: v.number() })),
});
export type Earlier = v.InferOutput<typeof form>;

/** @throws InputError for a file of another form, with the field */
export function parseEarlier(value: unknown, source: string): Earlier {
  const checked = checkShape(form, value);
  if (checked.state === "valid") return checked.value;
  throw new InputError(checked.problems.map((problem) => `${source}: ${problem}`).join("\n"));
}

export function earlierSection({ recordedAt, reports, scores, recorded }: Earlier): string[] {
  const servers = [...new Set(recorded.map(({ server }) => server))];
  const counts = recorded.map(({ pairs }) => pairs);
  const identical = recorded.filter(({ planted }) => planted === 0).reduce((sum, { pairs }) => sum + pairs, 0);
  return [
    `## The earlier evaluation of ${recordedAt.slice(0, 10)}`,
    `It measured something easier than what users have: reports of 20 rows only, one build on both sides, ${servers.join(" and ")} only, ${identical} distinct pairs of identical sides in a quiet hour. Raw pairs, ${reports} reports of each kind, ${Math.min(...counts)} to ${Math.max(...counts)} pairs of each server and size. The other rules had the mean of the slices where server-bench has the best slice. Its pairs are not kept, so the figures cannot be computed again.`,
    markdownGrid(
      ["Rule", "Pairs a row", "False per row", "Reports with any", "+3 % planted, found"],
      scores.map(({ rule, pairs, falsePerRow, falsePerReport, found }) => [
        rule,
        pairs,
        percent(falsePerRow.share),
        percent(falsePerReport.share),
        percent(found["3"]?.share ?? 0),
      ]),
    ),
  ];
}

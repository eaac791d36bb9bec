/** Where the time went, for report.md, the job summary and the comment: a fold for each row with a function that differs, and one for all others. */
import { groupBy } from "../../group-by.js";
import { plural } from "../../messages/sentence.js";
import type { RowProfile, SampledProfile } from "../../results/profile.js";
import { codeSpan, escapeHtml, escapeLine, escapeText } from "../text/escape.js";
import { folded, markdownGrid } from "../text/markdown.js";
import { profileFiles } from "./files.js";
import {
  differenceText,
  findingText,
  functionName,
  NOTHING_FOUND,
  placeText,
  rowText,
  sampledText,
  samplingText,
  timeText,
} from "./text.js";

const HEADINGS = ["Function", "Place", "Base", "Head", "Difference"];

interface ProfilesOptions {
  /** Code points of a reason. */
  readonly reasonLimit?: number;
  /** Whether the reader has the files beside the results. Default: yes. */
  readonly files?: boolean;
}

/** "" where no row was sampled. */
export function profilesMarkdown(
  profiles: readonly RowProfile[],
  { reasonLimit, files = true }: ProfilesOptions = {},
): string {
  const failed = profiles.flatMap((profile) => (profile.state === "failed" ? [profile] : []));
  const byReason = groupBy(failed, ({ reason }) => reason);
  const items = [...byReason].map(
    ([reason, rows]) =>
      `- No profile of ${rows.map((row) => codeSpan(rowText(row))).join(", ")}: ${escapeText(reason, reasonLimit)}`,
  );
  const sampled = profiles.flatMap((profile) => (profile.state === "sampled" ? [profile] : []));
  const different = sampled.filter(({ functions }) => functions.length > 0);
  const alike = sampled.filter(({ functions }) => functions.length === 0);
  return [
    ...different.map((profile) => rowFold(profile, findingText(profile), files)),
    alikeFold(alike, files),
    items.join("\n"),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function rowFold(profile: SampledProfile, found: string, files: boolean): string {
  const parts = [tableOf(profile), escapeLine(samplingText(profile)), files ? stacksText(profile) : ""];
  return folded(summaryOf(rowText(profile), found), parts.filter(Boolean).join("\n\n"));
}

/** The rows in which no function differs: nobody opens a fold for each of them. */
function alikeFold(profiles: readonly SampledProfile[], files: boolean): string {
  const [only] = profiles;
  if (!only) return "";
  if (profiles.length === 1) return rowFold(only, NOTHING_FOUND, files);
  const items = profiles.map((profile) => {
    const text = [escapeLine(sampledText(profile)), files ? stacksText(profile) : ""].join(" ").trimEnd();
    return `- ${codeSpan(rowText(profile))}: ${text}`;
  });
  return folded(summaryOf(plural(profiles.length, "benchmark"), NOTHING_FOUND), items.join("\n"));
}

function summaryOf(rows: string, found: string): string {
  return `Where the time went in ${escapeHtml(rows)}: ${escapeHtml(found, FINDING_LIMIT)}`;
}

function stacksText(profile: SampledProfile): string {
  return `The stacks are among the results: ${codeSpan(profileFiles(profile).speedscope)} is for speedscope, the text files next to it are collapsed.`;
}

/** Code points of a finding in a summary. */
const FINDING_LIMIT = 200;

/** "" without functions. */
function tableOf({ functions }: SampledProfile): string {
  if (functions.length === 0) return "";
  return markdownGrid(
    HEADINGS,
    functions.map((one) => [
      functionName(one),
      one.name === "" ? `${one.file} (library without symbols)` : placeText(one),
      timeText(one.baseUs),
      timeText(one.headUs),
      differenceText(one),
    ]),
    { padded: false },
  );
}

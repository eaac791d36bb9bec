/** Where the time went, for report.md, the job summary and the comment: a fold for each row that was sampled. */
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
  const items = failed.map(
    (profile) => `- No profile of ${codeSpan(rowText(profile))}: ${escapeText(profile.reason, reasonLimit)}`,
  );
  const sampled = profiles.flatMap((profile) => (profile.state === "sampled" ? [rowFold(profile, files)] : []));
  return [...sampled, items.join("\n")].filter(Boolean).join("\n\n");
}

function rowFold(profile: SampledProfile, files: boolean): string {
  const found = profile.functions.length === 0 ? NOTHING_FOUND : findingText(profile);
  const summary = `Where the time went in ${escapeHtml(rowText(profile))}: ${escapeHtml(found, FINDING_LIMIT)}`;
  const parts = [tableOf(profile), escapeLine(samplingText(profile)), files ? stacksText(profile) : ""];
  return folded(summary, parts.filter(Boolean).join("\n\n"));
}

function stacksText(profile: SampledProfile): string {
  return `The stacks are among the results: ${codeSpan(profileFiles(profile).speedscope)} is for speedscope, the text files beside it are collapsed.`;
}

/** Code points of a finding in a summary. */
const FINDING_LIMIT = 200;

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

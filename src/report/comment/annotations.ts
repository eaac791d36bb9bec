/** What the job's page and the pull request's files show beside the comment: one line for each row that needs a look. */
import { nameSome } from "../../messages/sentence.js";
import type { Verdict } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { type ChangedRow, changedRows } from "../comparison/changed-rows.js";
import { verdictWord } from "../comparison/metric-text.js";
import { uncomparedLines } from "../comparison/uncompared-lines.js";
import { logSafe, plainText } from "../text/escape.js";

export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly title: string;
  readonly message: string;
}

export interface AnnotationOptions {
  /** Whether a row that is worse fails the step; it is an error then. */
  readonly gate?: boolean;
}

/** GitHub shows this many of each level and step. */
const PER_LEVEL = 10;
/** The step's own failure is an error too, and comes last. */
const ERRORS = PER_LEVEL - 1;
/** Code points; GitHub takes 255 for a title. */
const TITLE_LIMIT = 120;
const MESSAGE_LIMIT = 600;
/** Rows named in the last annotation. */
const NAMES = 5;

export function annotationsOf(
  { comparison }: Results,
  { gate = false }: AnnotationOptions = {},
): readonly Annotation[] {
  if (!comparison) return [];
  const found = [
    ...uncomparedLines(comparison)
      .filter(({ kind }) => kind === "failed-in-head")
      .flatMap(({ heading, rows, reason }) => rows.map((row) => failedRow(heading, row, reason))),
    ...changedRows(comparison).map((row) => ({ name: row.name, annotation: changedRow(row, gate) })),
  ];
  return (["error", "warning", "notice"] as const).flatMap((level) =>
    atMost(
      level === "error" ? ERRORS : PER_LEVEL,
      found.filter(({ annotation }) => annotation.level === level),
    ),
  );
}

interface Found {
  readonly name: string;
  readonly annotation: Annotation;
}

function failedRow(heading: string, name: string, reason = "no reason is known"): Found {
  const what = `${heading.charAt(0).toLowerCase()}${heading.slice(1)}`;
  return { name, annotation: annotation("warning", `${what}: ${name}`, reason) };
}

function changedRow({ name, verdict, lines }: ChangedRow, gate: boolean): Annotation {
  const changes = lines.map(({ change, base, head }) => `${change} (${base} -> ${head})`);
  return annotation(levelOf(verdict, gate), `${verdictWord(verdict)}: ${name}`, changes.join("; "));
}

/** A suspicion is no proof: it is a notice only. */
function levelOf(verdict: Verdict, gate: boolean): Annotation["level"] {
  if (verdict !== "worse") return "notice";
  return gate ? "error" : "warning";
}

function annotation(level: Annotation["level"], title: string, message: string): Annotation {
  return { level, title: logSafe(plainText(title, TITLE_LIMIT)), message: logSafe(plainText(message, MESSAGE_LIMIT)) };
}

/** The last annotation names the rows that GitHub would not show. */
function atMost(limit: number, found: readonly Found[]): Annotation[] {
  const [first] = found;
  if (first === undefined || found.length <= limit) return found.map((one) => one.annotation);
  const rest = found.slice(limit - 1).map(({ name }) => plainText(name));
  return [
    ...found.slice(0, limit - 1).map((one) => one.annotation),
    annotation(first.annotation.level, `and ${rest.length} more`, nameSome(rest, NAMES)),
  ];
}

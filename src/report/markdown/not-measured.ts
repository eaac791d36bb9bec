/** The planned rows that no shard measured: their shards are missing or did not finish. */

import { plural } from "../../messages/sentence.js";
import type { Results } from "../../results/schema.js";
import { codeSpan, escapeText } from "../text/escape.js";
import { folded } from "../text/markdown.js";

type Missing = NonNullable<Results["run"]["missing"]>;

/** More rows than this are folded. */
const ROWS_SHOWN = 12;

/** The section of report.md; "" where nothing is missing. */
export function notMeasured({ missing = [] }: Results["run"]): string {
  if (missing.length === 0) return "";
  const few = countRows(missing) <= ROWS_SHOWN;
  const items = missing.map(({ shard, reason, rows }) => {
    const counted = rows.length === 0 ? "" : `: ${few ? names(rows) : plural(rows.length, "benchmark")}`;
    return `- Shard ${escapeText(shard)}: ${escapeText(reason)}${counted}`;
  });
  return ["## Not measured", items.join("\n"), ...(few ? [] : [folded("The benchmarks", rowItems(missing))])].join(
    "\n\n",
  );
}

/** In one line; undefined where nothing is missing. */
export function missingWarning({ missing = [] }: Results["run"]): string | undefined {
  if (missing.length === 0) return undefined;
  const shards = missing.map(({ shard }) => shard).join(", ");
  const rows = countRows(missing);
  const what = rows === 0 ? "benchmarks" : plural(rows, "benchmark");
  return `Not everything was measured: ${what} of ${missing.length === 1 ? "the shard" : "the shards"} ${shards}.`;
}

function countRows(missing: Missing): number {
  return missing.reduce((sum, { rows }) => sum + rows.length, 0);
}

function rowItems(missing: Missing): string {
  const listed = missing.filter(({ rows }) => rows.length > 0);
  return listed.map(({ shard, rows }) => `- ${escapeText(shard)}: ${names(rows)}`).join("\n");
}

function names(rows: readonly string[]): string {
  return rows.map((row) => codeSpan(row)).join(", ");
}

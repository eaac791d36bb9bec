/** The change points as an Atom feed (RFC 4287), newest first. */
import { createHash } from "node:crypto";
import { type ChangeWords, changesOf } from "../../history/change-words.js";
import type { History } from "../../history/model.js";
import type { Repository } from "../../history/repository.js";
import { figure, verdictWord } from "../comparison/metric-text.js";
import { html, type Markup, NOTHING } from "../html/markup.js";
import { signedPercent } from "../html/shares.js";
import { rowNamer } from "../text/row-names.js";

/** Readers of feeds look at new entries; history.json has all. */
const ENTRIES = 200;

export function feedOf(history: History, repository: Repository | undefined): string {
  const changes = changesOf(history, repository).slice(0, ENTRIES);
  const nameOf = rowNamer(history.rows);
  const newest = Math.max(0, ...history.runs.map(({ startedAt }) => Date.parse(startedAt)));
  const about = repository?.url.replace(/^https?:\/\//, "") ?? "Python web servers";
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom">
<id>${stableId(["feed", repository?.url ?? ""])}</id>
<title>Benchmarks of ${about}: changes of level</title>
<updated>${new Date(newest).toISOString()}</updated>
<author><name>server-bench</name></author>
<link rel="alternate" type="text/html" href="index.html"/>
${changes.map((change) => entry(history, change, nameOf(change.row)))}</feed>
`;
  // XML has no place for these two.
  return `<?xml version="1.0" encoding="utf-8"?>\n${feed.text.replace(/[\uFFFE\uFFFF]/g, "\uFFFD")}`;
}

function entry(history: History, words: ChangeWords, name: string): Markup {
  const { row, change, metric, range, address, cautions } = words;
  const run = history.runs[change.run];
  const at = new Date(run?.startedAt ?? 0).toISOString();
  const size = `${metric} ${signedPercent(change.change)}`;
  const levels = `${figure(change.metric, change.oldLevel)} before, ${figure(change.metric, change.newLevel)} after`;
  const text = [
    `${name}: ${verdictWord(change.verdict)}. ${levels}, ${range}.`,
    ...cautions,
    "The runs are of different days: measure both sides in pairs before you believe it.",
  ].join(" ");
  return html`<entry>
<id>${stableId([row.id, String(row.connections), change.metric, run?.id ?? ""])}</id>
<title>${name}: ${size}</title>
<updated>${at}</updated>
<published>${at}</published>
<link rel="alternate" href="${address ?? "index.html"}"/>
${address === undefined ? NOTHING : html`<link rel="related" href="index.html"/>`}
<summary>${text}</summary>
</entry>
`;
}

/** The same for the same change in every feed: a UUID of version 8 (RFC 9562), made from a digest. */
function stableId(parts: readonly string[]): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(["server-bench", ...parts]))
    .digest("hex");
  const groups = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return `urn:uuid:${groups.join("-")}`;
}

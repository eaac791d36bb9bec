/** Whole reports of hostile results: the comment, the page, the terminal, annotations. */
import * as fc from "fast-check";
import { mergeResults } from "../../../src/merge/merge.js";
import { annotationsOf } from "../../../src/report/comment/annotations.js";
import { COMMENT_BYTES, renderComment } from "../../../src/report/comment/comment.js";
import { renderPage } from "../../../src/report/html/page.js";
import { renderReport } from "../../../src/report/markdown/report.js";
import { renderTerminal } from "../../../src/report/terminal/terminal.js";
import { parseResults } from "../../../src/results/read.js";
import { facts, hostileFacts } from "../../support/comment.js";
import { renderGfm, tagsOf, unbalanced } from "../../support/gfm.js";
import { mutatedJson } from "../mutate.js";
import { hold, holdNone, orTyped, type Target } from "../target.js";
import { hostileText } from "../texts.js";
import { SAMPLES } from "./results.js";

const OWN = new Set([
  ...[
    "p",
    "code",
    "pre",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "strong",
    "em",
    "ul",
    "li",
    "a",
    "details",
    "summary",
  ],
  ...["h1", "h2", "h3", "h4", "blockquote", "br", "sub", "img", "picture", "source", "hr", "input", "section", "sup"],
]);
/** Nothing of a report leads elsewhere than to the repository, the run and this project. */
const ADDRESS = /^(?:https:\/\/github\.com\/(?:octo\/app|org\/server-bench)(?:[/?#].*)?|#.*|charts\/[\w.-]+\.svg)$/;

function holdReport(markdown: string): void {
  const html = renderGfm(markdown);
  const foreign = tagsOf(html).filter((tag) => !OWN.has(tag));
  hold(foreign.length === 0, `a report with <${foreign.join(">, <")}>`);
  for (const [, address = ""] of html.matchAll(/ (?:href|src)="([^"]*)"/g))
    hold(ADDRESS.test(address), `a report with the address ${address}`);
  const prose = html.replace(/<(code|pre)>.*?<\/\1>/gs, " ").replace(/<[^>]*>/g, "");
  hold(!/@\w/.test(prose), "a report with a mention");
  holdNone(unbalanced(html));
}

/** Each text of the input in turn, at every place that a pull request can write to. */
function checkTexts(input: Buffer): void {
  const texts = JSON.parse(input.toString("utf8")) as string[];
  let count = 0;
  const next = () => texts[count++ % texts.length] ?? "";
  const hostile = hostileFacts(next);
  const comment = renderComment(hostile);
  hold(Buffer.byteLength(comment) <= COMMENT_BYTES, "a comment that GitHub refuses");
  holdReport(comment);
  holdReport(renderReport(hostile.results));
  const terminal = renderTerminal(hostile.results, { columns: 80, colour: false });
  hold(!/[^\P{Cc}\n\t]/u.test(terminal), "a control character on the terminal");
  const page = renderPage(hostile.results);
  hold(
    page.split(/<script/i).length === renderPage(hostileFacts(() => "plain").results).split(/<script/i).length,
    "a page with a foreign script",
  );
}

/** Any results that are read can be merged and shown. */
function checkValues(input: Buffer): void {
  const results = orTyped(() => parseResults(input.toString("utf8"), "results.json"));
  if (results === undefined) return;
  const given = facts(results);
  renderComment(given);
  renderReport(results, { charts: true });
  renderPage(results);
  renderTerminal(results, { columns: 60, colour: true });
  annotationsOf(results);
  orTyped(() =>
    mergeResults([
      { source: "a", results },
      { source: "b", results },
    ]),
  );
}

export const reportTargets: readonly Target[] = [
  {
    name: "report-texts",
    share: 0.3,
    inputs: fc.array(hostileText, { minLength: 1, maxLength: 6 }).map((texts) => Buffer.from(JSON.stringify(texts))),
    check: checkTexts,
  },
  { name: "report-values", share: 2.5, inputs: mutatedJson(SAMPLES, 3), check: checkValues },
];

/**
 * A differential flame graph as SVG: both sides in one picture. The width of a call is the mean of its time in base and in
 * head, so that calls of one side only are drawn too; its colour is the difference, where that is beyond its error. The colour is
 * never alone: such calls have their difference in front of their name. Across, places are percent, as in the page's charts.
 */
import type { ProfileNode, ProfileTree } from "../../compare/profile-tree.js";
import { html, type Markup, NOTHING } from "../html/markup.js";
import { differenceText, functionName, placeText, timeText } from "./text.js";

const LINE_PX = 20;
const GAP_PX = 1;
/** Deeper calls are left out: forty levels are not readable. */
const DEPTH_MAX = 40;
/** A narrower call (percent) has no room for a name. */
const NAMED_MIN = 1.5;
/** A difference of this share of all time has the full colour; half and a quarter of it have lighter ones. */
const FULL_SHARE = 0.1;

/** Calls with no other call in between, of this share of the first one, are one bar where there are at least so many. */
const CHAIN_SHARE = 0.99;
const CHAIN_MIN = 3;

interface Drawn {
  /** A call, or a chain of calls. */
  readonly chain: readonly [ProfileNode, ...ProfileNode[]];
  readonly depth: number;
  /** Percent of the width. */
  readonly x: number;
  readonly width: number;
}

/** @param title for those who cannot see it */
export function flameGraph({ root }: ProfileTree, title: string): Markup {
  const drawn = placed(root);
  const rows = Math.max(...drawn.map(({ depth }) => depth)) + 1;
  const total = size(root);
  const height = rows * LINE_PX;
  return html`<svg class="flame" width="100%" height="${height}" role="img" aria-label="${title}">
${drawn.map((one) => frame(one, total))}
</svg>`;
}

function size({ baseUs, headUs }: ProfileNode): number {
  return (baseUs + headUs) / 2;
}

function placed(root: ProfileNode): Drawn[] {
  const drawn: Drawn[] = [];
  const scale = 100 / (size(root) || 1);
  const visit = (node: ProfileNode, depth: number, x: number): void => {
    const chain = chainOf(node);
    drawn.push({ chain, depth, x, width: size(node) * scale });
    if (depth + 1 >= DEPTH_MAX) return;
    let at = x;
    for (const child of (chain.at(-1) ?? node).children) {
      visit(child, depth + 1, at);
      at += size(child) * scale;
    }
  };
  visit(root, 0, 0);
  return drawn;
}

function chainOf(node: ProfileNode): [ProfileNode, ...ProfileNode[]] {
  const chain: [ProfileNode, ...ProfileNode[]] = [node];
  for (let last = node; ; ) {
    const [child, ...others] = last.children;
    if (!child || others.length > 0 || size(child) < CHAIN_SHARE * size(node)) break;
    chain.push(child);
    last = child;
  }
  return chain.length < CHAIN_MIN ? [node] : chain;
}

/** An inner SVG cuts off a name that is too long for its call. */
function frame({ chain, depth, x, width }: Drawn, total: number): Markup {
  const y = depth * LINE_PX;
  const [node] = chain;
  const last = chain.at(-1) ?? node;
  const name =
    chain.length === 1
      ? functionName(node.of)
      : `${functionName(node.of)} → … → ${functionName(last.of)} (${chain.length} calls)`;
  const text = node.differs ? `${node.differenceUs > 0 ? "▲" : "▼"} ${name} ${differenceText(node)}` : name;
  const label = width < NAMED_MIN ? NOTHING : html`<text x="3" y="14">${text}</text>`;
  return html`<svg x="${percent(x)}" y="${y}" width="${percent(width)}" height="${LINE_PX - GAP_PX}"><title>${frameTitle(chain)}</title><rect class="${colour(node, total)}" width="100%" height="100%"/>${label}</svg>`;
}

function frameTitle([node, ...below]: Drawn["chain"]): string {
  const { baseUs, headUs } = node;
  const names = [node, ...below].map(({ of }) => `${functionName(of)}${of.file === "" ? "" : ` (${placeText(of)})`}`);
  return `${names.join(" → ")}: ${timeText(baseUs)} in base, ${timeText(headUs)} in head, ${differenceText(node)}${node.differs ? "" : ", within the error"}`;
}

function colour({ differs, differenceUs }: ProfileNode, total: number): string {
  if (!differs) return "same";
  const share = Math.abs(differenceUs) / (total || 1);
  const level = share >= FULL_SHARE ? 3 : share >= FULL_SHARE / 2 ? 2 : 1;
  return `${differenceUs > 0 ? "more" : "less"}${level}`;
}

function percent(value: number): string {
  return `${Number(value.toFixed(3))}%`;
}

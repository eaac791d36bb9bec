/** What rows, runs and figures are called on the page of a history. */
import { html, type Markup } from "../html/markup.js";

/** Enough to distinguish commits. */
const SHA_DIGITS = 7;

interface NamedRun {
  readonly at: string;
  readonly release?: string;
  readonly sha?: string;
}

/** `30 Jan 2025` */
export function dayOf(iso: string): string {
  const [, day, month, year] = new Date(iso).toUTCString().replace(",", "").split(" ");
  return `${Number(day)} ${month} ${year}`;
}

/** A day that tables sort by its time. */
export function timeOf(iso: string): Markup {
  return html`<time datetime="${iso}">${dayOf(iso)}</time>`;
}

/** `v1.2.0`; `0f3c2a9, 30 Jan 2025` */
export function runLabel({ at, release, sha }: NamedRun): string {
  return release ?? [...(sha === undefined ? [] : [sha.slice(0, SHA_DIGITS)]), dayOf(at)].join(", ");
}

/** Which columns of a table are right-aligned: those of numbers, so that their digits stand below each other. */
import { MISSING } from "./format.js";

export type ColumnSide = "left" | "right";

/**
 * A column is right-aligned when it has a figure and no cell with words. The first column names the row and stays left.
 * @param rows cells as plain text or Markdown
 */
export function columnSides(columns: number, rows: readonly (readonly string[])[]): ColumnSide[] {
  return Array.from({ length: columns }, (_, at) => {
    const cells = rows.map((row) => row[at] ?? "").filter((cell) => !EMPTY.has(bare(cell)));
    return at > 0 && cells.length > 0 && cells.every((cell) => isFigures(bare(cell))) ? "right" : "left";
  });
}

const EMPTY: ReadonlySet<string> = new Set(["", "-", MISSING]);

/** Without what Markdown adds to a plain cell. */
function bare(cell: string): string {
  return cell.replace(/[*\\`]/g, "").trim();
}

/** `≥ 90119`, `20153 → 18742 req/s`, `+0.2 % ±1.2 % (4.1 %)`, `3 of 300`, `7 pairs, 21 s`. */
function isFigures(cell: string): boolean {
  return BEGINS_WITH_FIGURE.test(cell) && cell.replace(PARTS, "") === "";
}

const BEGINS_WITH_FIGURE = /^(?:[≥≤<>~+±-]|&[lg]t;)*\s?\d/;
const UNITS = "ms|µs|s|min|h|MiB|KiB|bytes|req\\/s|msg\\/s|calls\\/s|pairs?|of|to|and|pp";
/** Numbers, signs, units and the words between numbers: a cell with anything else is text. */
const PARTS = new RegExp(`\\d[\\d.,]*|(?<!\\p{L})(?:${UNITS})(?!\\p{L})|&[lg]t;|[≥≤<>~+±→()/,%\\s-]`, "gu");

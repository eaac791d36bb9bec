/** Text in the columns of a terminal. */
import stringWidth from "string-width";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** ASCII and Latin-1, where a character is one column: nearly every text, and much faster to recognise than to measure. */
const SINGLE_WIDTH = /^[ -~\u00A1-\u00AC\u00AE-\u00FF]*$/;

/** Columns of a terminal. */
export function textWidth(text: string): number {
  return SINGLE_WIDTH.test(text) ? text.length : stringWidth(text);
}

/** At most `columns` wide; what is cut off ends in dots (not every terminal has an ellipsis). */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const dots = columns > 3 ? "..." : "";
  if (SINGLE_WIDTH.test(text)) return text.slice(0, columns - dots.length).trimEnd() + dots;
  let fitted = "";
  let width = dots.length;
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > columns) break;
    fitted += segment;
  }
  return fitted.trimEnd() + dots;
}

export function padText(text: string, columns: number, align: "left" | "right"): string {
  const blanks = " ".repeat(Math.max(0, columns - stringWidth(text)));
  return align === "left" ? text + blanks : blanks + text;
}

/** Lines of at most `columns`, the later ones indented by `hang`; a word that is longer is broken, not lost. A number keeps its percent sign. */
export function wrapText(text: string, columns: number, hang: string): string[] {
  const room = Math.max(1, columns - hang.length);
  const lines: string[] = [];
  let line = "";
  let width = 0;
  for (const word of text.split(/ (?!%)/).flatMap((whole) => pieces(whole, room))) {
    const added = textWidth(word);
    if (line === "") {
      line = word;
      width = added;
    } else if (width + 1 + added <= columns) {
      line += ` ${word}`;
      width += 1 + added;
    } else {
      lines.push(line);
      line = hang + word;
      width = hang.length + added;
    }
  }
  return [...lines, line];
}

function pieces(word: string, columns: number): string[] {
  if (textWidth(word) <= columns) return [word];
  const found: string[] = [];
  let piece = "";
  let width = 0;
  for (const { segment } of graphemes.segment(word)) {
    // Each is measured once: the width of an emoji takes microseconds.
    const added = stringWidth(segment);
    if (piece !== "" && width + added > columns) {
      found.push(piece);
      piece = "";
      width = 0;
    }
    piece += segment;
    width += added;
  }
  return [...found, piece];
}

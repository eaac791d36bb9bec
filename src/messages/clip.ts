/** A text of at most so many characters; the end of a longer one becomes `...`. */
export function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - DOTS.length)}${DOTS}` : text;
}

const DOTS = "...";

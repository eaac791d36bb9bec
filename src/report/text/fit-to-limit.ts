/** Sections -> one text within a limit: the least important parts are left out first, always whole, and the end names them. */

export interface Section {
  readonly text: string;
  /** Shorter forms, the longest first. */
  readonly shorter?: readonly Shorter[];
}

interface Shorter {
  /** Of all sections' shorter forms the one with the lowest is taken first. */
  readonly order: number;
  /** "": nothing. A function gets the number of bytes that are left for it. */
  readonly text: string | ((room: number) => string);
  /** What is left out then; in the closing line. */
  readonly leftOut: string;
}

const GAP = "\n\n";

/**
 * @param limit bytes of UTF-8: never fewer than characters, by whichever way they are counted
 * @param closing the last section of a text that leaves something out
 */
export function fitSections(
  sections: readonly Section[],
  limit: number,
  closing: (leftOut: readonly string[]) => string,
): string {
  const texts = sections.map(({ text }) => text);
  const sizes = texts.map(sizeOf);
  const steps = sections.flatMap(({ shorter = [] }, at) => shorter.map((form) => ({ at, ...form })));
  steps.sort((a, b) => a.order - b.order);
  const leftOut = new Set<string>();
  const end = () => (leftOut.size === 0 ? "" : closing([...leftOut]));
  const total = () => sizes.reduce((sum, size) => sum + size, sizeOf(end()));
  for (const step of steps) {
    if (total() <= limit) break;
    leftOut.add(step.leftOut);
    sizes[step.at] = 0;
    const text = typeof step.text === "string" ? step.text : step.text(limit - total() - GAP.length);
    texts[step.at] = text;
    sizes[step.at] = sizeOf(text);
  }
  return [...texts, end()].filter(Boolean).join(GAP);
}

function sizeOf(text: string): number {
  return text === "" ? 0 : Buffer.byteLength(text) + GAP.length;
}

/** The first lines that fit into the room, each counted with its line end. */
export function linesWithin(lines: readonly string[], room: number): string[] {
  let left = room;
  const count = lines.findIndex((line) => {
    left -= Buffer.byteLength(line) + 1;
    return left < 0;
  });
  return count < 0 ? [...lines] : lines.slice(0, count);
}

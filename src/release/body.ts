/** The benchmarks' place in a release's body: between two markers. Everything else of the body stays as it was. */

export const BEGIN = "<!-- server-bench release: begin -->";
export const END = "<!-- server-bench release: end -->";

type Place =
  | { readonly kind: "between"; readonly before: string; readonly after: string }
  /** Markers that do not enclose one place. */
  | { readonly kind: "broken"; readonly reason: string };

/** Where the benchmarks go. Without markers: at the end. A marker counts where it has a line for itself. */
export function findPlace(body: string): Place {
  const begins = linesOf(body, BEGIN);
  const ends = linesOf(body, END);
  const [begin, end] = [begins[0], ends[0]];
  if (begin === undefined && end === undefined) return { kind: "between", before: body + gapAfter(body), after: "" };
  if (begins.length > 1 || ends.length > 1)
    return { kind: "broken", reason: `its body has a marker twice: leave one line "${BEGIN}" and one line "${END}"` };
  if (begin === undefined || end === undefined || end < begin)
    return { kind: "broken", reason: `its body needs the line "${BEGIN}" before the line "${END}"` };
  return { kind: "between", before: body.slice(0, begin), after: body.slice(end + END.length) };
}

/** @param text without either marker */
export function bodyWith({ before, after }: Extract<Place, { readonly kind: "between" }>, text: string): string {
  return `${before}${BEGIN}\n\n${text.trim()}\n\n${END}${after}`;
}

/** Characters that the text may have, so that the whole body keeps to the limit. */
export function roomIn(place: Extract<Place, { readonly kind: "between" }>, limit: number): number {
  return limit - bodyWith(place, "").length;
}

/** Offsets of the lines that are this text. */
function linesOf(body: string, text: string): number[] {
  return [...body.matchAll(/^[^\r\n]*$/gm)].flatMap(({ 0: line, index }) =>
    line.trim() === text ? [index + line.indexOf(text)] : [],
  );
}

/** Markdown needs an empty line before the benchmarks. */
function gapAfter(body: string): string {
  if (body === "" || /\n\r?\n$/.test(body)) return "";
  return body.endsWith("\n") ? "\n" : "\n\n";
}

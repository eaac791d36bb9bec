/** Where in a file something was found. */

export interface Found<T> {
  readonly value: T;
  /** `Procfile:1` */
  readonly at: string;
}

/** `file:line` of a position in a text. */
export function placeOf(file: string, text: string, index: number): string {
  return `${file}:${text.slice(0, index).split("\n").length}`;
}

/** The lines of a text, each with its place. */
export function linesOf(file: string, text: string): Found<string>[] {
  return text.split(/\r?\n/).map((value, index) => ({ value, at: `${file}:${index + 1}` }));
}

/** Docker allows blanks after it. */
const CONTINUED = /\\[ \t]*$/;

/**
 * Lines joined where a backslash continues them, each with the place of its first line. A comment between two continued lines
 * does not end the line, as in a Dockerfile.
 */
export function continuedLines(file: string, text: string): Found<string>[] {
  const joined: Found<string>[] = [];
  let open: Found<string> | undefined;
  for (const { value, at } of linesOf(file, text)) {
    if (open !== undefined && /^\s*#/.test(value)) continue;
    const whole: Found<string> = open === undefined ? { value, at } : { value: `${open.value} ${value}`, at: open.at };
    open = CONTINUED.test(whole.value) ? { value: whole.value.replace(CONTINUED, ""), at: whole.at } : undefined;
    if (open === undefined) joined.push(whole);
  }
  return open === undefined ? joined : [...joined, open];
}

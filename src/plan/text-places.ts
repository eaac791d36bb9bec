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

/** Without a comment of pip's files, and without blanks around it. */
export function withoutComment(line: string): string {
  const comment = line.search(/(?:^|\s)#/);
  return (comment < 0 ? line : line.slice(0, comment)).trim();
}

/**
 * Lines joined where a backslash continues them (Docker allows blanks after it), each with the place of its first line. A comment between two continued lines
 * does not end the line, as in a Dockerfile.
 */
export function continuedLines(file: string, text: string): Found<string>[] {
  const joined: Found<string>[] = [];
  let open: { readonly parts: string[]; readonly at: string } | undefined;
  const close = () => {
    if (open !== undefined) joined.push({ value: open.parts.join(" "), at: open.at });
    open = undefined;
  };
  for (const { value, at } of linesOf(file, text)) {
    if (open !== undefined && /^\s*#/.test(value)) continue;
    open ??= { parts: [], at };
    const end = value.trimEnd();
    const continued = end.endsWith("\\");
    open.parts.push(continued ? end.slice(0, -1) : value);
    if (!continued) close();
  }
  close();
  return joined;
}

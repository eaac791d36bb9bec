/** A checked file whose fields can be pointed at. */
export type Key = string | number;

export interface Source<T> {
  readonly file: string;
  readonly value: T;
  /** `file:line: rows[2].server` for a path into the value. */
  at(path: readonly Key[]): string;
}

/** `rows[2].knobs.loop` */
export function fieldName(path: readonly Key[]): string {
  if (path.length === 0) return "(the whole file)";
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? key : `.${key}`)).join("");
}

/**
 * A file that was checked when the tool was built: parsing YAML would be most of the start-up. It is used for a file
 * with the same bytes only.
 */
export interface Compiled {
  readonly value: unknown;
  /** Field -> line, of the fields that messages point at. */
  readonly lines: Readonly<Record<string, number>>;
}

/** SHA-256 of a file's bytes -> what it holds. */
export type CompiledFiles = Readonly<Record<string, Compiled>>;

export function compiledSource<T>(file: string, compiled: Compiled): Source<T> {
  return {
    file,
    // Built from the same definitions that check a file at run time.
    value: compiled.value as T,
    at: (path) => `${file}:${lineOf(compiled, path)}: ${fieldName(path)}`,
  };
}

/** Of a field whose line was not kept: the line of the entry that it belongs to. */
function lineOf({ lines }: Compiled, path: readonly Key[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const line = lines[fieldName(path.slice(0, length))];
    if (line !== undefined) return line;
  }
  return 1;
}

/** The results files that are merged, and which of them counts where several have the same thing. */
import type { Comparison } from "../results/comparison.js";
import type { Results } from "../results/schema.js";

export interface Part {
  /** Its name in messages and warnings: the file's path. */
  readonly source: string;
  readonly results: Results;
}

export interface ComparedPart extends Part {
  readonly comparison: Comparison;
}

export function oldestFirst<P extends Part>(parts: readonly P[]): P[] {
  const startedAt = ({ results }: Part) => Date.parse(results.run.startedAt);
  return [...parts].sort((a, b) => startedAt(a) - startedAt(b));
}

/** The union of the parts' items in the order of the parts as given, each with the value of the newest run that has it. */
export function newestOf<P extends Part, T>(
  parts: readonly P[],
  itemsOf: (part: P) => readonly T[],
  keyOf: (item: T) => string,
): T[] {
  const items = new Map<string, T>();
  const keyed = new Map<Part, { readonly key: string; readonly item: T }[]>();
  for (const part of parts) {
    const own = itemsOf(part).map((item) => ({ key: keyOf(item), item }));
    keyed.set(part, own);
    for (const { key, item } of own) items.set(key, item);
  }
  // A map keeps the position of a key that is set again.
  for (const part of oldestFirst(parts)) for (const { key, item } of keyed.get(part) ?? []) items.set(key, item);
  return [...items.values()];
}

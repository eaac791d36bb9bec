/** The order of rows in a merge: shards get the longest rows first, and a table has the order of its scenario file. */
import type { Part } from "./parts.js";

/** Sorts by the orders that the parts name. Rows that none of them names come last, as they were. */
export function inRowOrder<T extends { readonly id: string }>(parts: readonly Part[], items: readonly T[]): T[] {
  const ids = parts.flatMap(({ results }) => results.sets.flatMap(({ rowOrder = [] }) => rowOrder));
  const places = new Map([...new Set(ids)].map((id, place) => [id, place]));
  const placeOf = ({ id }: T) => places.get(id) ?? places.size;
  return items.toSorted((a, b) => placeOf(a) - placeOf(b));
}

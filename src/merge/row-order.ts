/** The order of rows in a merge: shards get the longest rows first, and a table has the order of its scenario file. */
import type { Part } from "./parts.js";

export type RowOrder = <T extends { readonly id: string }>(items: readonly T[]) => T[];

/** Sorts by the orders that the parts name. Rows that none of them names come last, as they were. */
export function rowOrder(parts: readonly Part[]): RowOrder {
  const ids = parts.flatMap(({ results }) => results.sets.flatMap((set) => set.rowOrder ?? []));
  const places = new Map([...new Set(ids)].map((id, place) => [id, place]));
  const placeOf = ({ id }: { readonly id: string }) => places.get(id) ?? places.size;
  return (items) => items.toSorted((a, b) => placeOf(a) - placeOf(b));
}

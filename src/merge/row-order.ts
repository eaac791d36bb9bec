/** The order of rows and sets in a merge: shards get the longest rows first, and a report has the order of a run that is whole. */
import type { Part } from "./parts.js";

export type RowOrder = <T extends { readonly id: string }>(items: readonly T[]) => T[];

/** Sorts by the orders that the parts name. Rows that none of them names come last, as they were. */
export function rowOrder(parts: readonly Part[]): RowOrder {
  const sets = parts.flatMap(({ results }) => results.sets);
  const ids = (setOrder(parts) ?? []).flatMap((name) =>
    sets.flatMap((set) => (set.name === name ? (set.rowOrder ?? []) : [])),
  );
  const places = new Map([...new Set(ids)].map((id, place) => [id, place]));
  const placeOf = ({ id }: { readonly id: string }) => places.get(id) ?? places.size;
  return (items) => items.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Names of the sets as they follow each other in every shard; those that no shard has both of, by name, as built-in ones do.
 * Undefined where no part is a shard.
 */
export function setOrder(parts: readonly Part[]): readonly string[] | undefined {
  if (!parts.some(({ results }) => results.sets.some((set) => set.rowOrder !== undefined))) return undefined;
  let left = parts.map(({ results }) => results.sets.map(({ name }) => name));
  const order: string[] = [];
  for (;;) {
    const firsts = left.flatMap(([name]) => name ?? []).toSorted();
    const next = firsts.find((name) => left.every((names) => names.indexOf(name) <= 0)) ?? firsts[0];
    if (next === undefined) return order;
    order.push(next);
    left = left.map((names) => names.filter((name) => name !== next));
  }
}

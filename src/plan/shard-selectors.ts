/** The rows of a shard -> the shortest selectors that name exactly these rows. */
import type { PlannedSet } from "./types.js";

/**
 * A whole set by its name, rows that share the beginning of their slug with no other row by a glob, the rest by their ids.
 * @param ids of the wanted rows
 * @param sets the wanted rows' sets with all of their rows: a glob must not catch a row that was not asked for
 */
export function selectorsOf(ids: readonly string[], sets: readonly PlannedSet[]): string[] {
  const wanted = new Set(ids);
  return sets.flatMap(({ name, rows }) => {
    const all = rows.map((row) => row.id);
    const inside = all.filter((id) => wanted.has(id));
    if (inside.length === 0) return [];
    return inside.length === all.length ? [name] : namesOf(`${name}/`, all, wanted);
  });
}

/** @param ids that begin with the prefix, wanted and not */
function namesOf(prefix: string, ids: readonly string[], wanted: ReadonlySet<string>): string[] {
  const inside = ids.filter((id) => wanted.has(id));
  if (inside.length <= 1) return inside;
  if (inside.length === ids.length) return [`${prefix}*`];
  return byNextWord(prefix, ids).flatMap(([longer, of]) => namesOf(longer, of, wanted));
}

/** By the next word of the slugs, up to its dash. */
function byNextWord(prefix: string, ids: readonly string[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const id of ids) {
    const dash = id.indexOf("-", prefix.length);
    const longer = dash < 0 ? id : id.slice(0, dash + 1);
    const group = groups.get(longer);
    if (group) group.push(id);
    else groups.set(longer, [id]);
  }
  return [...groups];
}

/** Rows that were counted or sampled without a base: those of all parts. */
import type { FurtherRow } from "../results/schema.js";
import { newestOf, oldestFirst, type Part } from "./parts.js";

/** One part may have counted instructions and another sampled memory: of each kind the newest figures stay. */
export function mergeFurtherMetrics(parts: readonly Part[]): FurtherRow[] {
  const rowsOf = ({ results }: Part) => results.furtherMetrics ?? [];
  const byAge = oldestFirst(parts).flatMap(rowsOf);
  const counted = new Map(byAge.flatMap(({ id, instructions }) => (instructions ? [[id, instructions] as const] : [])));
  const sampled = new Map(byAge.flatMap(({ id, memory }) => (memory ? [[id, memory] as const] : [])));
  return newestOf(parts, rowsOf, ({ id }) => id).map(({ id, title }) => {
    const [instructions, memory] = [counted.get(id), sampled.get(id)];
    return { id, title, ...(instructions && { instructions }), ...(memory && { memory }) };
  });
}

/** What the page has that the text which links it has not. */
import type { Results } from "../../results/schema.js";

/** Behind "The page has". */
export function pageContents({ comparison }: Pick<Results, "comparison">): string {
  if (!comparison || comparison.rows.length === 0) return "all figures and the charts";
  // Stored results have no pairs.
  const pairs = comparison.mode === "artifact" ? " and" : ", every pair and";
  return `every benchmark with its interval${pairs} the charts`;
}

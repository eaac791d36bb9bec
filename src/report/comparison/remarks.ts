/** What is said of a comparison as a whole, below its verdict. */
import type { Comparison } from "../../results/comparison.js";
import { controlLines } from "./changed-rows.js";
import { openReasons } from "./open-reasons.js";

export function remarks(comparison: Comparison): string[] {
  return [...openReasons(comparison), ...controlLines(comparison), ...(comparison.notes ?? [])];
}

/** How wide the interval of a change is. */
import { LEVEL } from "./verdict.js";

/**
 * The error of a metric's interval: 5 %, and for a metric that is called changed the level of the false coverage rate
 * (Benjamini and Yekutieli 2005) among the metrics of its row. Chosen by simulation of rows that stop by the looks: where pairs
 * differ by 1.8 to 4.5 %, the intervals held 94 to 98 % of the changes, and 93 to 98 % of those of 3 % that were called. Levels
 * that are also divided over the looks (repeated confidence intervals, Jennison and Turnbull 1989), or over all rows of a
 * report, held 99 to 100 % of those: few degrees of freedom and the least scale already make up for the looks. Quiet pairs, which
 * differ by 1.2 % or less, are held in 98 to 100 % by any rule.
 * @param called metrics of the row that are called changed @param tested all metrics of the row
 */
export function intervalLevel(isCalled: boolean, called: number, tested: number): number {
  return isCalled ? (LEVEL * called) / tested : LEVEL;
}

/** How wide the interval of a change is. */
import { LEVEL } from "./verdict.js";

/**
 * The error of a metric's interval: 5 %, and for a metric that is called changed the level of the false coverage rate
 * (Benjamini and Yekutieli 2005) among the metrics of its row. Chosen by simulation of rows that stop by the looks. The
 * intervals held 94 to 99 % of the changes; of the changes of 2 % and more that were called, 93 to 99 %. Levels that are divided over the
 * looks as well (repeated confidence intervals, Jennison and Turnbull 1989), or over all rows of a report, held 99 to 100 %:
 * the small numbers of degrees of freedom and the least scale already make up for the looks.
 * @param called metrics of the row that are called changed @param tested all metrics of the row
 */
export function intervalLevel(isCalled: boolean, called: number, tested: number): number {
  return isCalled ? (LEVEL * called) / tested : LEVEL;
}

/** Changes as percentages, as the page writes them: `−3.1 %`. */
import type { MetricComparison } from "../../results/comparison.js";
import { percent } from "../comparison/metric-text.js";

export function signedPercent(share: number): string {
  return `${share < 0 ? "−" : "+"}${percent(Math.abs(share))}`;
}

/** `−7.9 to −5.8 %` */
export function intervalText({ interval: [low, high] }: MetricComparison): string {
  return `${signedPercent(low).replace(" %", "")} to ${signedPercent(high)}`;
}

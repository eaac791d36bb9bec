/** Shares as percentages, as the page writes them: `3.1 %`, `−3.1 %`. */
import type { MetricComparison } from "../../results/comparison.js";

export function percentOf(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function signedPercent(share: number): string {
  return `${share < 0 ? "−" : "+"}${percentOf(Math.abs(share))}`;
}

/** `−7.9 to −5.8 %` */
export function intervalText({ interval: [low, high] }: MetricComparison): string {
  return `${signedPercent(low).replace(" %", "")} to ${signedPercent(high)}`;
}

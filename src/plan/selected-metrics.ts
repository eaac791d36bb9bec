/** `--metrics`: what a run judges. */
import { InputError } from "../errors.js";
import { METRIC_CHOICES, type MetricChoice } from "../results/metric-choices.js";
import { didYouMean } from "./nearest.js";

/** In the order of the choices, each once. */
export type SelectedMetrics = readonly MetricChoice[];

export const USUAL_METRICS: SelectedMetrics = ["throughput", "cpu"];

/** Names between commas. @throws InputError for an unknown name, and for none */
export function parseMetrics(text: string, option: string): SelectedMetrics {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const wrong = names.find((name) => !METRIC_CHOICES.some((known) => known === name));
  if (wrong !== undefined || names.length === 0) {
    const hint = wrong === undefined ? "" : didYouMean(wrong, METRIC_CHOICES);
    throw new InputError(`invalid ${option} "${wrong ?? text}": use ${METRIC_CHOICES.join(", ")}${hint}`);
  }
  return METRIC_CHOICES.filter((known) => names.includes(known));
}

const TIMED: SelectedMetrics = ["throughput", "cpu", "latency"];

/** Whether time is measured at all. */
export function isTimed(selectedMetrics: SelectedMetrics): boolean {
  return selectedMetrics.some((name) => TIMED.includes(name));
}

/** Those that a row is compared with stored results by: `compareStored` knows no others. */
const STORED: SelectedMetrics = ["throughput", "cpu"];

/** Why stored results cannot be compared by any of these metrics; undefined: they can. @param option as the user writes it */
export function whyNotStored(selectedMetrics: SelectedMetrics, option: string): string | undefined {
  if (selectedMetrics.some((name) => STORED.includes(name))) return undefined;
  return `${option} ${selectedMetrics.join()} cannot be compared with stored results, which are compared by ${STORED.join(" and ")}`;
}

/** Metrics that are measured beside the timed pairs. */
export function furtherMetricsOf(selectedMetrics: SelectedMetrics): readonly ("memory" | "instructions")[] {
  return (["memory", "instructions"] as const).filter((name) => selectedMetrics.includes(name));
}

/** The usual metrics, and counted instructions: for a change that time alone shows only after minutes. */
export const WITH_COUNTS: SelectedMetrics = [...USUAL_METRICS, "instructions"];

export function isUsual(selectedMetrics: SelectedMetrics): boolean {
  return selectedMetrics.join() === USUAL_METRICS.join();
}

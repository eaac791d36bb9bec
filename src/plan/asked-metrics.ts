/** `--metrics`: what a run judges. */
import { InputError } from "../errors.js";
import { METRIC_CHOICES, type MetricChoice } from "../results/metric-choices.js";
import { didYouMean } from "./nearest.js";

/** In the order of the choices, each once. */
export type AskedMetrics = readonly MetricChoice[];

export const USUAL_METRICS: AskedMetrics = ["throughput", "cpu"];

/** Names between commas. @throws InputError for an unknown name, and for none */
export function parseMetrics(text: string, option: string): AskedMetrics {
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

const TIMED: AskedMetrics = ["throughput", "cpu", "latency"];

/** Whether time is measured at all. */
export function isTimed(asked: AskedMetrics): boolean {
  return asked.some((name) => TIMED.includes(name));
}

/** Those that a row is compared with stored results by: `compareStored` knows no others. */
const STORED: AskedMetrics = ["throughput", "cpu"];

/** Why stored results cannot be compared by any of these metrics; undefined: they can. @param option as the user writes it */
export function whyNotStored(asked: AskedMetrics, option: string): string | undefined {
  if (asked.some((name) => STORED.includes(name))) return undefined;
  return `${option} ${asked.join()} cannot be compared with stored results, which are compared by ${STORED.join(" and ")}`;
}

/** Metrics that are measured beside the timed pairs. */
export function witnessesOf(asked: AskedMetrics): readonly ("memory" | "instructions")[] {
  return (["memory", "instructions"] as const).filter((name) => asked.includes(name));
}

/** The usual metrics, and counted instructions: for a change that time alone shows only after minutes. */
export const WITH_COUNTS: AskedMetrics = [...USUAL_METRICS, "instructions"];

export function isUsual(asked: AskedMetrics): boolean {
  return asked.join() === USUAL_METRICS.join();
}

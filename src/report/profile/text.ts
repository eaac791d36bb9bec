/** A row's profile in plain text: the terminal, the comment and the page say the same words. */
import type { ProfiledFunction, RowProfile, SampledProfile } from "../../results/profile.js";
import { plainText } from "../text/escape.js";
import { rate } from "../text/format.js";

/** `12.3 µs`, `1.24 ms` */
export function timeText(us: number): string {
  const size = Math.abs(us);
  return size >= MILLISECOND ? `${figure(us / 1000)} ms` : `${figure(us)} µs`;
}

const MILLISECOND = 10_000;

/** Three digits, at most two decimals. */
function figure(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** `+3.10 ±0.42 µs` */
export function differenceText({ differenceUs, errorUs }: Pick<ProfiledFunction, "differenceUs" | "errorUs">): string {
  const ms = Math.abs(differenceUs) >= MILLISECOND;
  const of = (us: number) => figure(ms ? us / 1000 : us);
  const sign = differenceUs < 0 ? "-" : "+";
  return `${sign}${of(Math.abs(differenceUs))} ±${of(errorUs)} ${ms ? "ms" : "µs"}`;
}

/** `RequestCycle.send`; what a library without symbols does has no other name than the library. */
export function functionName({ name, file }: Pick<ProfiledFunction, "name" | "file">): string {
  return name === "" ? (file.split("/").at(-1) ?? file) : name;
}

/** `uvicorn/main.py:12` */
export function placeText({ file, line }: Pick<ProfiledFunction, "file" | "line">): string {
  return line === undefined ? file : `${file}:${line}`;
}

export function rowText({ id, connections }: Pick<RowProfile, "id" | "connections">): string {
  return `${id} (c${connections})`;
}

/** For the terminal and the log. */
export function profileLine(profile: RowProfile): string {
  const row = rowText(profile);
  if (profile.state === "failed") return `no profile of ${row}: ${plainText(profile.reason)}`;
  return `profile of ${row}: ${plainText(findingText(profile))}`;
}

/** What was found, in one line. */
export function findingText({ functions }: SampledProfile): string {
  const [first] = functions;
  if (!first) return NOTHING_FOUND;
  const more = functions.length > 1 ? `, and ${functions.length - 1} more` : "";
  return `${functionName(first)} (${placeText(first)}) ${differenceText(first)} a request${more}`;
}

export const NOTHING_FOUND = "no function's time differs by more than the sampling error";

/** What was sampled, and how to read the table. */
export function samplingText(profile: SampledProfile): string {
  return [
    sampledText(profile),
    "A function's time is its own, with what Python's interpreter and system libraries do for it, without the functions that it calls.",
    "± is the sampling error: with 95 % confidence it holds for all functions at once. Smaller differences are not listed.",
  ].join(" ");
}

export function sampledText({ ratePerSec, base, head, sampler }: SampledProfile): string {
  const load =
    ratePerSec === undefined
      ? "at full load, while it is sampled"
      : `at ${rate(ratePerSec)} requests/s on both sides (the verdict's is at full load)`;
  return [
    `CPU time per request ${load}: ${timeText(base.cpuPerRequestUs)} in base, ${timeText(head.cpuPerRequestUs)} in head.`,
    `${sampler} took ${base.samples} and ${head.samples} samples after all pairs.`,
  ].join(" ");
}

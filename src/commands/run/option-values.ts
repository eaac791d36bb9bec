/** Texts of options -> values. Messages name the option as the user knows it: `--budget`, or the input `budget`. */
import { type Precision, precisionFor } from "../../compare/precision.js";
import { InputError } from "../../errors.js";
import { didYouMean } from "../../plan/nearest.js";
import { FAIL_ON, type FailOn } from "./options.js";

/** @returns minutes @throws InputError for anything but a number above 0 */
export function parseBudget(text: string, option: string): number {
  const minutes = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && minutes > 0) return minutes;
  throw new InputError(`invalid ${option} "${text}": give minutes, such as 10 or 2.5`);
}

/** Less than Python itself needs with a web server. */
const MEMORY_MIN_MIB = 16;

/** @returns MiB @throws InputError for anything but a whole number that a server fits into */
export function parseMemoryLimit(text: string, option: string): number {
  const mib = Number(text);
  if (/^\d{1,9}$/.test(text) && mib >= MEMORY_MIN_MIB) return mib;
  throw new InputError(`invalid ${option} "${text}": give MiB, ${MEMORY_MIN_MIB} or more, such as 2048`);
}

/** A day: no job waits longer. */
const WAIT_MAX_MINUTES = 24 * 60;

/** @returns minutes, 0 for none @throws InputError for anything else */
export function parseWait(text: string, option: string): number {
  const minutes = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && minutes <= WAIT_MAX_MINUTES) return minutes;
  throw new InputError(`invalid ${option} "${text}": give minutes from 0 to ${WAIT_MAX_MINUTES}, such as 30`);
}

/** Per cent of the smallest change that is looked for. */
const DETECT = { least: 1, most: 3 };

/** @throws InputError for anything but per cent from 1 to 3 */
export function parseDetect(text: string, option: string): Precision {
  const percent = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && percent >= DETECT.least && percent <= DETECT.most)
    return precisionFor(percent / 100);
  throw new InputError(
    `invalid ${option} "${text}": give per cent from ${DETECT.least} to ${DETECT.most}, such as 1 or 2.5`,
  );
}

/** @throws InputError for an unknown word */
export function parseFailOn(text: string, option: string): FailOn {
  const found = FAIL_ON.find((known) => known === text);
  if (found) return found;
  throw new InputError(`invalid ${option} "${text}": use ${FAIL_ON.join(", ")}${didYouMean(text, FAIL_ON)}`);
}

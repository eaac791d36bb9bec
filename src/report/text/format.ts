/** Numbers and times as the published benchmark pages write them. */

/** A figure that does not exist. */
export const MISSING = "N/A";
/** Below this a whole number would hide the difference between slow servers. */
const SMALL_RATE = 100;

/** 90119, or 7.47 where whole numbers are too coarse. */
export function rate(requestsPerSec: number): string {
  return requestsPerSec < SMALL_RATE ? decimals(requestsPerSec, 2) : requestsPerSec.toFixed(0);
}

/** Minutes, or tens of seconds: an estimate must not look exact. */
export function coarse(seconds: number): string {
  if (seconds >= 90) return `${Math.round(seconds / 60)} min`;
  return `${Math.max(10, Math.ceil(seconds / 10) * 10)} s`;
}

/** Up to `digits` decimals, without zeros at the end. */
export function decimals(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

/** `Thu 30 Jan 2025, 02:28`, in UTC. */
export function runDate(iso: string): string {
  const [weekday, day, month, year, time] = new Date(iso).toUTCString().replace(",", "").split(" ");
  return `${weekday} ${day} ${month} ${year}, ${time?.slice(0, 5)}`;
}

/** 3.11 of 3.11.7, 3.14t of 3.14.0t, as the pages' headers say it. */
export function shortPython(version: string): string {
  const [, minor, free = ""] = /^(\d+\.\d+)[^\s]*?(t?)$/.exec(version) ?? [];
  return minor === undefined ? version : minor + free;
}

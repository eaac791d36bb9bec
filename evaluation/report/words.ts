/** Figures as the report writes them. */
import type { Share } from "../resample/share.js";

export function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

/** `0.2 % (0.1 to 0.3)`; empty where nothing was counted. */
export function shown({ of, share, interval: [low, high] }: Share): string {
  return of === 0 ? "" : `${percent(share)} (${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)})`;
}

export function hits({ hits: some, of }: Share): string {
  return `${some} of ${of}`;
}

/** Figures as the page writes them. */
import type { Neighbour } from "../recording/recording.js";
import type { Kind } from "../resample/draw.js";
import type { Share } from "../resample/share.js";

export function percent(value: number): string {
  return `${(value * 100).toFixed(Math.abs(value) < 0.1 ? 2 : 1)} %`;
}

export function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${percent(Math.abs(value))}`;
}

/** `0.21 % (0.12 to 0.34)`; empty where nothing was counted. */
export function shown({ of, share, interval: [low, high] }: Share): string {
  return of === 0 ? "" : `${percent(share)} (${(low * 100).toFixed(2)} to ${(high * 100).toFixed(2)})`;
}

export function neighbourText(share: Neighbour["share"]): string {
  return share === 0 ? "none" : `${(share * 100).toFixed(0)} % of the time`;
}

export function kindText({ plant, mirrored }: Kind): string {
  return mirrored ? `${plant}, in base` : plant;
}

/** Of a setting of one-row reports. */
export function earlierText(runs: number): string {
  return runs === 0 ? "none" : `${runs} runs`;
}

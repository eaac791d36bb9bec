/** Counted shares with their uncertainty. */
import { clopperPearson } from "../../src/compare/proportion.js";

export interface Share {
  readonly hits: number;
  readonly of: number;
  readonly share: number;
  /** 95 %, of Clopper and Pearson, over the draws. */
  readonly interval: readonly [number, number];
}

function shareOf(hits: number, of: number): Share {
  return { hits, of, share: of === 0 ? 0 : hits / of, interval: of === 0 ? [0, 1] : clopperPearson(hits, of) };
}

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, readonly [number, number]>();
  add(name: string, hit: boolean): void {
    const [hits, of] = this.#counts.get(name) ?? [0, 0];
    this.#counts.set(name, [hits + (hit ? 1 : 0), of + 1]);
  }
  share(name: string): Share {
    return shareOf(...(this.#counts.get(name) ?? [0, 0]));
  }
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

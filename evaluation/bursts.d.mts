export interface Burst {
  readonly waitMs: number;
  readonly burstMs: number;
}
export function bursts(share: number, seed: number): Generator<Burst, never>;

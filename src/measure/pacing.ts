/** Whether the clock decides when requests are sent, not the server. */

interface Pacing {
  readonly waits: boolean;
  readonly ratePerSec?: number | undefined;
  readonly rateShare?: number | undefined;
}

/** A server that is not asked all the time idles, although its client is not slow. */
export function mayIdle({ waits, ratePerSec, rateShare }: Pacing): boolean {
  return waits || ratePerSec !== undefined || rateShare !== undefined;
}

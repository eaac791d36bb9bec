/** Failed requests of head beside those of base. They make no verdict, because they may come in bursts: a note has them. */
import { normalQuantile } from "./distributions.js";
import { clopperPearson } from "./proportion.js";

export interface Answered {
  /** Right answers. */
  readonly requests: number;
  readonly failed: number;
}

/** A judgement: of a hundred rows whose sides fail equally often, one differs so much, half of these with more in head. */
const LEVEL = 0.99;
/** With more failures than this, the normal approximation is as good as the exact interval. */
const EXACT_MAX = 10_000;

/** Where head fails more often than base, and chance is no explanation. */
export function failureNotes(base: Answered, head: Answered): string[] {
  if (head.failed === 0) return [];
  if (base.failed === 0) return [`${head.failed} failed requests in head, none in base`];
  if (!isSurelyMore(base, head)) return [];
  return [`${percent(failedShare(head))} of head's requests failed, ${percent(failedShare(base))} of base's`];
}

/** The sum over several runs. */
export function totalOf(parts: readonly Answered[]): Answered {
  return parts.reduce(
    (sum, { requests, failed }) => ({ requests: sum.requests + requests, failed: sum.failed + failed }),
    { requests: 0, failed: 0 },
  );
}

/** If both fail equally often, head has its share of the requests as its share of the failures (a binomial test). */
function isSurelyMore(base: Answered, head: Answered): boolean {
  const failures = base.failed + head.failed;
  const expected = all(head) / (all(base) + all(head));
  if (failures <= EXACT_MAX) return clopperPearson(head.failed, failures, LEVEL)[0] > expected;
  const standardError = Math.sqrt((expected * (1 - expected)) / failures);
  return head.failed / failures - expected > normalQuantile((1 + LEVEL) / 2) * standardError;
}

function all({ requests, failed }: Answered): number {
  return requests + failed;
}

function failedShare(answered: Answered): number {
  return answered.failed / all(answered);
}

/** `2.0 %`, `0.00012 %`: two digits. */
function percent(share: number): string {
  const value = Number((share * 100).toPrecision(2));
  const decimals = Math.max(0, 1 - Math.floor(Math.log10(value)));
  return `${value.toFixed(Math.min(decimals, 10))} %`;
}

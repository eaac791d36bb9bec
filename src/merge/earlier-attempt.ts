/** The sentence for results that an earlier attempt of a run measured, because the last attempt uploaded none. */
import { nameSome } from "../messages/sentence.js";
import { type ShardIndex, shardName } from "../results/shard.js";

export interface EarlierAttempt {
  /** The last one. */
  readonly attempt: number;
  /** The shards of which it uploaded nothing; undefined: it uploaded nothing at all. */
  readonly shards: readonly ShardIndex[] | undefined;
}

export function earlierAttemptLine({ attempt, shards }: EarlierAttempt): string {
  if (shards === undefined)
    return `These results are of an earlier attempt. Attempt ${attempt} of the run uploaded none.`;
  const named = nameSome(shards.map(shardName));
  return `Some of these results are of an earlier attempt. Attempt ${attempt} of the run uploaded none of the ${shards.length === 1 ? "shard" : "shards"} ${named}.`;
}

/** The sentences of `earlierAttemptLine`. */
export const EARLIER_ATTEMPT =
  /^(?:These|Some of these) results are of an earlier attempt\. Attempt \d{1,6} of the run uploaded none(?: of the shards? \d{1,4}\/\d{1,4}(?:, \d{1,4}\/\d{1,4}){0,4}(?: and \d{1,4} more)?)?\.$/;

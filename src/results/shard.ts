/** The number of a shard in a sharded run, and how files, artifacts and messages write it. */

/** The most jobs that GitHub makes of one matrix. */
export const SHARDS_MAX = 256;

export interface ShardIndex {
  /** From 1. */
  readonly index: number;
  /** Number of shards. */
  readonly of: number;
}

/** `2/4` */
export function shardName({ index, of }: ShardIndex): string {
  return `${index}/${of}`;
}

/** `2-of-4`: an artifact's name may have no slash. */
export function artifactName({ index, of }: ShardIndex): string {
  return `${index}-of-${of}`;
}

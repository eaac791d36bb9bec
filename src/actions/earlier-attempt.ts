/** Whether the results that are reported are those of the attempt that reports them. */
import type { ArtifactInfo } from "../github/artifacts.js";
import { attemptStart } from "../github/attempts.js";
import type { GitHub } from "../github/client.js";
import { type EarlierAttempt, earlierAttemptLine } from "../merge/earlier-attempt.js";

interface Attempt {
  readonly runId: number;
  readonly attempt: number;
}

/**
 * The measurement may have failed this time, or only the report is run again: both are reported, and the reader has to know.
 * One call where the run has more than one attempt. @returns undefined for results of this attempt
 */
export async function earlierResults(
  github: GitHub,
  { runId, attempt }: Attempt,
  artifacts: readonly ArtifactInfo[],
  log: (line: string) => void,
): Promise<string | undefined> {
  if (attempt === 1) return undefined;
  const start = await attemptStart(github, runId, attempt);
  if (start.state === "refused") {
    log(`note it is not known which attempt measured: ${start.failure.message}`);
    return undefined;
  }
  const earlier = artifacts.filter(({ createdAt }) => createdAt !== undefined && createdAt < start.startedAt);
  return earlier.length === 0 ? undefined : earlierAttemptLine({ attempt, shards: shardsOf(earlier, artifacts) });
}

function shardsOf(earlier: readonly ArtifactInfo[], all: readonly ArtifactInfo[]): EarlierAttempt["shards"] {
  return earlier.length === all.length ? undefined : earlier.flatMap(({ shard }) => shard ?? []);
}

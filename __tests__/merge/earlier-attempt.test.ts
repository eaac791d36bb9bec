import { expect, it } from "vitest";
import { EARLIER_ATTEMPT, earlierAttemptLine } from "../../src/merge/earlier-attempt.js";

const shards = (count: number) => Array.from({ length: count }, (_, i) => ({ index: i + 1, of: 256 }));

it.each([
  [undefined, "These results are of an earlier attempt. Attempt 3 of the run uploaded none."],
  [
    shards(1),
    "Some of these results are of an earlier attempt. Attempt 3 of the run uploaded none of the shard 1/256.",
  ],
  [
    shards(7),
    "Some of these results are of an earlier attempt. Attempt 3 of the run uploaded none of the shards 1/256, 2/256, 3/256, 4/256, 5/256 and 2 more.",
  ],
])("%j: a sentence that may be shown of foreign results too", (of, sentence) => {
  expect(earlierAttemptLine({ attempt: 3, shards: of })).toBe(sentence);
  expect(sentence).toMatch(EARLIER_ATTEMPT);
});

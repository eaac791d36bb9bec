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

it("knows the sentence of a run with many attempts and shards", () => {
  const many = Array.from({ length: 256 }, (_, i) => ({ index: 256 - i, of: 256 }));
  expect(earlierAttemptLine({ attempt: 12, shards: many })).toMatch(EARLIER_ATTEMPT);
});

it.each([
  "Buy now. These results are of an earlier attempt. Attempt 3 of the run uploaded none.",
  "These results are of an earlier attempt. Attempt 3 of the run uploaded none. Buy now.",
  "These results are of an earlier attempt. Attempt 3 of the run uploaded none of the shards 1/256, or what you like.",
])("does not take for its own: %s", (foreign) => {
  expect(foreign).not.toMatch(EARLIER_ATTEMPT);
});

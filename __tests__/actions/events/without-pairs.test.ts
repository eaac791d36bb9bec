/** The other workflows to paste, where nothing is measured in pairs: two of these files can run at a time. */
import { isInPairs, RUN_CASES } from "../../support/workflow/cases.js";
import { testEvents } from "../../support/workflow/event-cases.js";

testEvents(
  RUN_CASES.filter((one) => one.file !== "nightly.yml" && !isInPairs(one)),
  `${import.meta.dirname}/without-pairs.golden.jsonl`,
);

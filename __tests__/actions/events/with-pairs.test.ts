/** The workflows to paste, where base and head are measured in pairs. */
import { isInPairs, RUN_CASES } from "../../support/workflow/cases.js";
import { testEvents } from "../../support/workflow/event-cases.js";

testEvents(RUN_CASES.filter(isInPairs), `${import.meta.dirname}/with-pairs.golden.jsonl`);

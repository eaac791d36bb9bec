/** nightly.yml on each of its events. */
import { RUN_CASES } from "../../support/workflow/cases.js";
import { testEvents } from "../../support/workflow/event-cases.js";

testEvents(
  RUN_CASES.filter(({ file }) => file === "nightly.yml"),
  `${import.meta.dirname}/nightly.golden.jsonl`,
);

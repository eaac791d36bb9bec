/** docs/events.md is the table of what the other tests of this folder observed. Run them first with --update, then this one. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EVENT_CASES, STATES_BY_FILE } from "../../support/workflow/cases.js";
import { EXAMPLES } from "../../support/workflow/event-cases.js";
import { eventsPage, readObserved } from "../../support/workflow/observed.js";
import { ROOT } from "../../support/workflows.js";

const observed = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".golden.jsonl"))
  .flatMap((name) => readObserved(readFileSync(join(import.meta.dirname, name), "utf8")));

it("covers every workflow and every event that it declares", () => {
  const declared = [...EXAMPLES].map(([file, { value }]) => [file, Object.keys(value.on).sort()]);
  const covered = Object.entries(STATES_BY_FILE).map(([file, events]) => [file, Object.keys(events).sort()]);
  expect(Object.fromEntries(covered)).toEqual(Object.fromEntries(declared));
});

it("has each case once", () => {
  const names = (cases: typeof EVENT_CASES) =>
    cases.map(({ file, event, state }) => `${file} ${event} ${state}`).sort();
  expect(names(observed)).toEqual(names(EVENT_CASES));
});

it("is docs/events.md", async () => {
  await expect(eventsPage(observed)).toMatchFileSnapshot(join(ROOT, "docs/events.md"));
});

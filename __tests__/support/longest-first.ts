/** Starts the files that take longest first, so that no worker has nothing to do while one of them is left. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Parts of paths. Without earlier runs vitest goes by the size of a file, and these are small for what they do. */
const LONGEST = [
  ...["compare/paired-simulation.test", "fuzz/fuzz.test", "html/browser.test", "memory/memory-pair.test"],
  ...["provision/provision.test", "measure/preparation.test", "history/browser.test", "sides/identical.test"],
  ...["integration/parity.test", "events/without-pairs.test", "events/with-pairs.test"],
  ...["integration/instructions.test", "integration/confirm.test", "integration/docs-commands.test"],
  ...[
    "integration/act-pairs.test",
    "chaos/chaos.test",
    "integration/own-requests.test",
    "integration/example-apps.test",
  ],
  ...["events/nightly.test", "integration/release.test", "integration/kinds-in-pairs.test"],
  ...["actions/nothing-to-compare.test", "integration/action-github.test"],
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.includes(`/${name}.`));
  return place < 0 ? LONGEST.length : place;
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b));
  }
}

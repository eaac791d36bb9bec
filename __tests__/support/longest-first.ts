/** Starts the files that take longest first, so that no worker has nothing to do while one of them is left. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Parts of paths. Without earlier runs vitest goes by the size of a file, and these are small for what they do. */
const LONGEST = [
  ...["compare/paired-simulation.test", "fuzz/fuzz.test", "html/browser.test", "memory/memory-pair.test"],
  ...["provision/provision.test", "measure/preparation.test", "history/browser.test", "sides/identical.test"],
  // Those that wait beside those that fill the CPUs.
  ...["integration/parity.test", "events/without-pairs.test", "integration/instructions.test"],
  ...["integration/app-install.test", "events/with-pairs.test", "integration/paired.test"],
  ...["chaos/chaos.test", "events/nightly.test", "integration/two-runs.test", "integration/websocket.test"],
  ...["integration/release.test", "integration/init.test", "integration/memory-shown.test", "security/base.test"],
  ...["integration/answers.test", "integration/misbehaving.test", "integration/action-github.test"],
  ...["actions/nothing-to-compare.test", "integration/cli.test", "integration/base-build.test"],
  ...["long/kinds-in-pairs.test", "long/docs-commands.test", "long/act-pairs.test", "long/own-requests.test"],
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

/** Starts the files that take longest first, so that no worker has nothing to do while one of them is left. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Parts of paths. Without earlier runs vitest goes by the size of a file, and these are small for what they do. */
const LONGEST = [
  // They wait next to those that fill the CPUs.
  ...["whole/release", "whole/pairs", "whole/init", "whole/pull-request", "whole/shards", "whole/two-runs"],
  ...["whole/row", "whole/fork"],
  ...["html/browser", "actions/report", "security/artifacts"],
  ...["provision/provision", "history/browser", "tools/run-tool", "github/sticky-races"],
  ...["integration/parity", "events/events", "integration/instructions"],
  ...["compare/paired-simulation", "memory/memory-pair", "fuzz/fuzz"],
  ...["integration/app-install", "integration/paired"],
  ...["chaos/chaos", "integration/two-runs", "integration/websocket"],
  ...["integration/init", "integration/memory-shown", "security/base"],
  ...["integration/answers", "integration/misbehaving", "integration/action-github"],
  ...["actions/nothing-to-compare", "integration/cli", "integration/base-build"],
  ...["long/kinds-in-pairs", "long/docs-commands", "long/act-pairs", "long/confirm", "long/own-requests"],
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.includes(`/${name}.test.`));
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

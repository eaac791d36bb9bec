/** Which states of the world each workflow to paste is tried in, by the events that it declares. */
import type { StateName } from "./world.js";

type Events = Readonly<Record<string, readonly StateName[]>>;

/** By file; snippets of Markdown by `file.md#n`. A test holds that no file and no event is missing. */
export const CASES: Readonly<Record<string, Events>> = {
  "server-repository.yml": {
    push: ["first", "baseline", "second-attempt", "cancelled-before"],
    pull_request: [
      ...(["first", "adds-scenarios", "fork", "second-attempt", "cancelled-before", "no-history"] as const),
      ...(["no-history-baseline", "no-history-expired"] as const),
      ...(["no-history-other-machine", "no-history-later-schema"] as const),
    ],
  },
  "app.yml": { pull_request: ["first", "no-history", "adds-scenarios", "fork"] },
  "fork-measure.yml": { push: ["first", "baseline"], pull_request: ["fork", "no-history", "adds-scenarios"] },
  "fork-report.yml": { workflow_run: ["fork", "first", "no-history", "cancelled-before"] },
  "matrix.yml": { pull_request: ["first", "shard-lost", "shard-without-base", "adds-scenarios", "fork"] },
  "nightly.yml": {
    schedule: ["first", "baseline", "expired", "other-machine", "later-schema", "second-attempt", "cancelled-before"],
    workflow_dispatch: ["first", "baseline"],
  },
  "release.yml": { push: ["no-release"], release: ["later-release", "first-release"] },
};

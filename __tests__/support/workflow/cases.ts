/** Which states of the world each workflow to paste is tried in, by the events that it declares. */
import type { StateName } from "./world.js";

export interface EventCase {
  readonly file: string;
  readonly event: string;
  readonly state: StateName;
}

type StatesByFile = Readonly<Record<string, Readonly<Record<string, readonly StateName[]>>>>;

/** A test checks that no file and no event is missing. */
export const STATES_BY_FILE: StatesByFile = {
  "server-repository.yml": {
    push: ["first", "baseline", "second-attempt", "cancelled-before"],
    pull_request: [
      ...(["first", "adds-scenarios", "fork", "second-attempt", "cancelled-before", "no-history"] as const),
      ...(["no-history-baseline", "no-history-expired"] as const),
      ...(["no-history-other-machine", "no-history-later-schema"] as const),
    ],
    merge_group: ["first"],
  },
  "app.yml": {
    pull_request: ["first", "no-history", "adds-scenarios", "changes-load", "fork"],
    merge_group: ["no-history"],
  },
  "fork-measure.yml": {
    push: ["first", "baseline"],
    pull_request: ["fork", "no-history", "adds-scenarios"],
    merge_group: ["no-history"],
  },
  "fork-report.yml": { workflow_run: ["fork", "first", "no-history", "cancelled-before"] },
  "matrix.yml": {
    pull_request: ["first", "shard-lost", "shard-without-base", "adds-scenarios", "breaks-scenarios", "fork"],
    merge_group: ["no-history"],
  },
  "hosted.yml": { pull_request: ["first", "no-history", "adds-scenarios", "fork"], merge_group: ["no-history"] },
  "nightly.yml": {
    schedule: ["first", "baseline", "expired", "other-machine", "later-schema", "second-attempt", "cancelled-before"],
    workflow_dispatch: ["first", "baseline"],
  },
  "bench-command.yml": {
    issue_comment: ["asked", "asked-for-fork", "asked-by-stranger"],
    pull_request: ["asked", "asked-by-stranger", "asked-for-fork"],
  },
  "bench-measure.yml": { workflow_dispatch: ["asked", "asked-for-fork", "asked-elsewhere"] },
  "release.yml": { push: ["no-release"], release: ["later-release", "first-release"] },
};

/** What of it compares base and head in pairs. hosted.yml counts instructions, which neighbours change little. */
const IN_PAIRS: StatesByFile = {
  "server-repository.yml": { pull_request: ["first", "second-attempt", "cancelled-before"], merge_group: ["first"] },
  "app.yml": { pull_request: ["first", "fork"] },
  "fork-report.yml": { workflow_run: ["fork", "first"] },
  "matrix.yml": { pull_request: ["first", "shard-lost", "shard-without-base"] },
  "bench-measure.yml": { workflow_dispatch: ["asked", "asked-for-fork"] },
  "release.yml": { push: ["no-release"], release: ["later-release"] },
};

/** The workflow whose runs `fork-report.yml` reports. */
export const MEASURES = "fork-measure.yml";
const REPORTS = "fork-report.yml";

/** In the order of the page. */
export const EVENT_CASES: readonly EventCase[] = Object.entries(STATES_BY_FILE).flatMap(([file, events]) =>
  Object.entries(events).flatMap(([event, states]) => states.map((state) => ({ file, event, state }))),
);

export function isInPairs({ file, event, state }: EventCase): boolean {
  return IN_PAIRS[file]?.[event]?.includes(state) ?? false;
}

/** The case that a case of `fork-report.yml` runs first: it needs no run of its own. */
export function measuredBefore({ file, state }: EventCase): EventCase | undefined {
  if (file !== REPORTS) return undefined;
  return EVENT_CASES.find((one) => one.file === MEASURES && one.event === "pull_request" && one.state === state);
}

/** The cases that are run on their own. */
export const RUN_CASES: readonly EventCase[] = EVENT_CASES.filter(
  (one) => !EVENT_CASES.some((other) => measuredBefore(other) === one),
);

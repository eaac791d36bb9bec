/** The action's inputs and outputs: action.yml and the tables of the pages are made from them. */
import { DEFAULTS, OPTIONS, type Option } from "./options.js";

export const ACTION_COMMANDS = ["run", "plan", "report", "release", "dispatch"] as const;
export type ActionCommand = (typeof ACTION_COMMANDS)[number];

/** In the order of the file. */
export const INPUT_GROUPS = [
  "What to measure",
  "Comparison",
  "Time",
  "Results and gate",
  "Comment",
  "Several jobs",
  "Releases",
  "Measurements on request",
] as const;

interface Described {
  /** The command that alone reads or writes it. */
  readonly only?: ActionCommand;
  readonly help: string;
  readonly details?: string;
}

export interface Input extends Described {
  readonly group: (typeof INPUT_GROUPS)[number];
  readonly default?: string;
}

/** An option of the command line that the action has too. */
function as(group: Input["group"], { help, details }: Option, own: Partial<Input> = {}): Input {
  return { group, help, ...(details !== undefined && { details }), ...own };
}

const ONE_PER_LINE = "One per line.";

const LIST = {
  command: {
    group: "What to measure",
    help: "`run` (measures), `plan` (makes a matrix), `report` (merges, comments), `release` or `dispatch` (answers `/bench`)",
    default: "run",
  },
  scenarios: {
    group: "What to measure",
    help: "Sets, benchmarks or globs, separated by commas or blanks: `interfaces`, `http2/*`, `vs-*`",
    default: DEFAULTS.selectors.join(),
  },
  "scenarios-dir": as("What to measure", OPTIONS.scenarios),
  servers: as("What to measure", OPTIONS.server, { details: "One `NAME=SPEC` per line, such as `uvicorn=.`." }),
  python: as("What to measure", OPTIONS.python),
  metrics: as("What to measure", OPTIONS.metrics),
  latency: as("What to measure", OPTIONS.latency, { default: "false" }),
  "memory-limit": as("What to measure", OPTIONS["memory-limit"]),
  baseline: {
    group: "Comparison",
    help: "`paired`: base measured with head. `auto`: stored results, suspects in pairs. `artifact`: stored results. `none`",
    default: "paired",
  },
  base: as("Comparison", OPTIONS.base, { details: "Default: the pull request's base." }),
  "base-results": as("Comparison", OPTIONS["base-results"], {
    details: `${ONE_PER_LINE} Default: the base branch's.`,
  }),
  anchor: as("Comparison", OPTIONS.anchor, { details: ONE_PER_LINE }),
  "profile-rows": as("Comparison", OPTIONS["profile-rows"]),
  profile: as("Time", OPTIONS.profile, { default: DEFAULTS.profile }),
  detect: as("Time", OPTIONS.detect),
  budget: as("Time", OPTIONS.budget),
  wait: as("Time", OPTIONS.wait, { default: String(DEFAULTS.waitMinutes) }),
  "fail-on": as("Results and gate", OPTIONS["fail-on"], { default: DEFAULTS.failOn }),
  out: as("Results and gate", OPTIONS.out, { default: DEFAULTS.out }),
  "retention-days": {
    group: "Results and gate",
    help: "Days to keep the uploaded results; default: the repository's setting",
  },
  comment: {
    group: "Comment",
    help: "Write one comment in the pull request and update it",
    details: "Needs `pull-requests: write`.",
    default: "true",
  },
  "comment-key": {
    group: "Comment",
    help: "Names the comment and its artifacts: one key per report, in all of its jobs",
    default: "default",
  },
  "comment-author": {
    group: "Comment",
    help: "Login of the comment's author, where `token` is of your GitHub App: `my-app[bot]`",
  },
  token: {
    group: "Comment",
    help: "Token that writes the comment and reads stored results",
    default: `\${{ github.token }}`,
  },
  shards: as("Several jobs", OPTIONS.shards, { only: "plan" }),
  cores: as("Several jobs", OPTIONS.cores, { only: "plan" }),
  shard: as("Several jobs", OPTIONS.shard, { only: "run", details: "Give `matrix.shard`." }),
  tag: as("Releases", OPTIONS.tag, { only: "release", details: "Default: the workflow's tag." }),
  "previous-tag": as("Releases", OPTIONS.previous, { only: "release" }),
  site: as("Releases", OPTIONS.site, { only: "release" }),
  "page-url": as("Releases", OPTIONS["page-url"], { only: "release" }),
  "update-release": as("Releases", OPTIONS["update-release"], {
    only: "release",
    details: "Needs `contents: write`.",
    default: "true",
  }),
  measure: {
    group: "Releases",
    only: "release",
    help: "`false`: take the results of another job, run no code of the release",
    default: "true",
  },
  workflow: {
    group: "Measurements on request",
    only: "dispatch",
    help: "File of the workflow that measures, on the default branch",
    default: "bench-measure.yml",
  },
  "allowed-users": {
    group: "Measurements on request",
    only: "dispatch",
    help: "Logins, besides people with write access, that may request a measurement",
  },
  label: {
    group: "Measurements on request",
    only: "dispatch",
    help: "Label that requests a measurement of the pull request's head; default: none",
  },
  "second-request": {
    group: "Measurements on request",
    only: "dispatch",
    help: "While an earlier request runs: `queue` waits, `replace` ends the earlier one",
    default: "queue",
  },
  request: {
    group: "Measurements on request",
    help: "In the workflow that `command: dispatch` starts: give `inputs.request`",
  },
} as const satisfies Record<string, Input>;

export type InputName = keyof typeof LIST;

export const INPUTS: Readonly<Record<InputName, Input>> = LIST;

export const OUTPUTS: Readonly<Record<string, Described>> = {
  verdict: {
    help: "Overall verdict: `worse`, `suspect-worse`, `better`, `suspect-better`, `inconclusive`, `unchanged`, or `none` without a comparison",
  },
  worse: { help: "Number of benchmarks that are worse" },
  better: { help: "Number of benchmarks that are better" },
  completed: { help: "Number of measured cases: a benchmark at one number of connections, on one side" },
  failed: { help: "Number of cases that failed" },
  "results-path": { help: "Path of `results.json`" },
  "report-path": { help: "Path of `report.md`" },
  "artifact-id": { help: "Id of the uploaded artifact, or empty" },
  "comment-url": { help: "URL of the comment, or empty" },
  "page-path": { only: "release", help: "Path of the release's page" },
  "notes-path": { only: "release", help: "Path of `notes.md`" },
  request: { only: "dispatch", help: "Request that the workflow was started with, as JSON, or empty" },
  matrix: { only: "plan", help: "Matrix as JSON, for `strategy: matrix:`" },
};

/** As action.yml and the pages show it. */
export function descriptionOf({ only, help, details }: Described): string {
  const text = `${only === undefined ? help : help.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}.`;
  return [
    ...(only === undefined ? [] : [`\`command: ${only}\`:`]),
    text,
    ...(details === undefined ? [] : [details]),
  ].join(" ");
}

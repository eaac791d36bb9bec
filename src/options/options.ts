/**
 * Options that several commands, or a command and the action, have: each text stands once, for the help, action.yml and the
 * pages. Code is in backticks, which the help leaves out.
 */

export interface Option {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** What the help calls its value. */
  readonly value?: string;
  readonly group: OptionGroup;
  /** One line of the help, and the beginning of the others. */
  readonly help: string;
  /** For action.yml and the pages. */
  readonly details?: string;
  /** Earlier names, which still work. */
  readonly aliases?: readonly string[];
}

/** In the order of the help. */
export const OPTION_GROUPS = [
  "Release",
  "Project",
  "Jobs",
  "What to measure",
  "Comparison",
  "Time",
  "Output",
  "More",
] as const;
type OptionGroup = (typeof OPTION_GROUPS)[number];

/** What is measured and where results go by default. */
export const DEFAULTS = {
  selectors: ["interfaces"],
  profile: "standard",
  out: "server-bench-results",
  failOn: "never",
  /** Two usual runs in pairs. A job on GitHub may take six hours. */
  waitMinutes: 60,
} as const;

/** Not the folder of a run: both have an index.html. */
export const HISTORY_OUT = "server-bench-history";

export const OPTIONS = {
  metrics: {
    type: "string",
    value: "LIST",
    group: "What to measure",
    help: "Verdicts on `throughput,cpu,latency,instructions,memory`",
    details: "Default: `throughput,cpu`. `instructions` needs Valgrind; alone it measures no time.",
  },
  latency: {
    type: "boolean",
    group: "What to measure",
    help: "Also judge p50 and p99 at a fixed rate",
    details: "Only for benchmarks measured with oha.",
  },
  server: {
    type: "string",
    multiple: true,
    value: "NAME=SPEC",
    group: "What to measure",
    help: "Version, path, wheel or `git+URL@REF` of a server",
  },
  python: {
    type: "string",
    multiple: true,
    value: "VERSION",
    group: "What to measure",
    help: "Version or path of the Python that runs the servers",
    details: "Default: the `python3` on PATH.",
  },
  scenarios: {
    type: "string",
    value: "DIR",
    group: "What to measure",
    help: "Folder with your own benchmarks and servers",
    details: "The built-in ones remain available.",
  },
  shard: {
    type: "string",
    value: "I/N",
    group: "What to measure",
    help: "Which shard of a plan this run is, such as `2/4`",
  },
  base: {
    type: "string",
    value: "REF|DIR",
    group: "Comparison",
    help: "Commit, branch, tag or folder (`./base`) to compare with",
  },
  "base-results": {
    type: "string",
    multiple: true,
    value: "FILE",
    group: "Comparison",
    help: "Stored results to compare with; several: a history",
  },
  anchor: {
    type: "string",
    multiple: true,
    value: "SERVER",
    group: "Comparison",
    help: "Server that did not change: shows machine drift",
    details: "It is divided out.",
  },
  "profile-rows": {
    type: "string",
    multiple: true,
    value: "NAME",
    group: "Comparison",
    help: "Benchmarks to profile, changed or not; `none`: nothing",
    details: "Up to 5 changed ones are always profiled.",
  },
  profile: {
    type: "string",
    value: "NAME",
    group: "Time",
    help: "Without a base: `quick`, `standard` or `thorough`",
    details: "`quick`: some 2 s a benchmark.",
  },
  detect: {
    type: "string",
    value: "PERCENT",
    group: "Time",
    help: "Smallest change to look for, 1 to 3 %; default: 3",
    details: "Undecided benchmarks take up to 75 s, below 3 up to 3 minutes.",
  },
  budget: {
    type: "string",
    value: "MINUTES",
    group: "Time",
    help: "Minutes to compare with a base; default: no limit",
    details: "The report names what was left out.",
  },
  wait: {
    type: "string",
    value: "MINUTES",
    group: "Time",
    help: `Minutes to wait for another run here; default: ${DEFAULTS.waitMinutes}`,
    details: "`0`: fail at once.",
  },
  out: {
    type: "string",
    value: "DIR",
    group: "Output",
    help: "Folder for `results.json`, `report.md` and `index.html`",
  },
  "fail-on": {
    type: "string",
    value: "WHEN",
    group: "Output",
    help: "Fail on: `never`, `worse` (proven in pairs), `failed`",
    details: "A run that measures nothing always fails.",
  },
  json: { type: "boolean", group: "Output", help: "Print the result as JSON, and nothing else" },
  "memory-limit": {
    type: "string",
    value: "MIB",
    group: "More",
    help: "MiB that a server may use before it fails",
    details: "Default: two fifths of the memory.",
  },
  cores: {
    type: "string",
    value: "N",
    group: "Jobs",
    help: "CPUs of the machines that measure; default: as here",
  },
  shards: { type: "string", value: "N", group: "Jobs", help: "Number of jobs that measure, 1 to 256" },
  tag: { type: "string", value: "TAG", group: "Release", help: "Release to measure: the tag that is checked out" },
  previous: {
    type: "string",
    value: "TAG",
    group: "Release",
    help: "Release to compare with; default: the tag before it",
  },
  site: {
    type: "string",
    value: "DIR",
    group: "Release",
    help: "Folder of all releases: adds the page and an index",
  },
  "page-url": {
    type: "string",
    value: "URL",
    group: "Release",
    help: "Address of the published site, for the notes' links",
  },
  "update-release": {
    type: "boolean",
    group: "Release",
    help: "Write the notes into the release on GitHub",
  },
} as const satisfies Record<string, Option>;

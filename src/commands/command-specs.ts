/** The commands, their options and what each does. */

/** What is measured and where results go by default. */
export const DEFAULTS = {
  profile: "standard",
  out: "server-bench-results",
  failOn: "never",
} as const;

/** Not the folder of a run: both have an index.html. */
export const HISTORY_OUT = "server-bench-history";

export interface Option {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  readonly value?: string;
  readonly help: string;
  /** Earlier names, which still work. */
  readonly aliases?: readonly string[];
}

const SCENARIOS: Option = {
  type: "string",
  value: "DIR",
  help: "folder of your own scenario sets and servers, in addition to the built-in ones; default of run, plan and release: benchmarks, or .server-bench",
};
const SERVER: Option = {
  type: "string",
  multiple: true,
  value: "NAME=SPEC",
  help: "what to install for a server: a version (2.7.0), a path (./granian), a wheel, or git+https://…@REF; . alone: the server that this folder is the source of, which is also the default",
};
const PYTHON: Option = {
  type: "string",
  multiple: true,
  value: "VERSION",
  help: "Python to run the servers on: a version or a path; several for python-versions",
};
const JSON_OUTPUT: Option = { type: "boolean", help: "print the result as JSON on standard output, and nothing else" };

const PROFILE: Option = {
  type: "string",
  value: "NAME",
  help: "how long a row without a base is measured: quick (about 2 s) | standard | thorough. Rows in pairs take the pairs that their verdict needs",
};

const BUDGET: Option = {
  type: "string",
  value: "MINUTES",
  help: "minutes for all that is measured with a base; one row gets its first 4 pairs even if they take longer, and lists of functions (--profile-rows) come on top; timed pairs, instructions and memory get equal shares; the report names rows that did not fit; default: until every row is decided",
};

const DETECT: Option = {
  type: "string",
  value: "PERCENT",
  help: "smallest change to look for, from 1 to 3; default: 3. Below 3 a row in doubt takes up to 4 minutes instead of 1.5, and instructions are counted too, where Valgrind is installed and no --metrics are given",
};

const METRICS: Option = {
  type: "string",
  value: "LIST",
  help: "metrics that get a verdict: throughput,cpu,latency,instructions,memory; default: throughput,cpu. Without this option, instructions are also counted in rows that look changed beside a base, where Valgrind is installed. With instructions alone nothing is timed",
};

const MEMORY_LIMIT: Option = {
  type: "string",
  value: "MIB",
  help: "memory that one server may use with all its processes; default: two fifths of the machine's memory. Beyond it the server is ended and its row fails",
};

const WAIT: Option = {
  type: "string",
  value: "MINUTES",
  help: "how long to wait while another run measures on this machine; default: 60; 0: end at once with exit code 4",
};

const ANCHOR: Option = {
  type: "string",
  multiple: true,
  value: "SERVER",
  help: "a server that is identical in all files; its change is treated as drift and divided out",
};

export interface CommandSpec {
  readonly usage: string;
  readonly help: string;
  readonly options: Readonly<Record<string, Option>>;
}

export const COMMANDS = {
  list: {
    usage: "list [SELECTOR...] [--json]",
    help: "sets, rows, servers, and how long they take",
    options: { json: JSON_OUTPUT, scenarios: SCENARIOS },
  },
  setup: {
    usage: "setup [SELECTOR...]",
    help: "install what these rows need, and nothing else; without a selector, what all sets need",
    options: { scenarios: SCENARIOS, server: SERVER, python: PYTHON },
  },
  run: {
    usage: "run [SELECTOR...] [options]",
    help: "measure and report",
    options: {
      profile: PROFILE,
      out: {
        type: "string",
        value: "DIR",
        help: "results.json, report.md and index.html; default server-bench-results",
      },
      scenarios: SCENARIOS,
      server: SERVER,
      python: PYTHON,
      base: {
        type: "string",
        value: "REF|DIR",
        help: "compare with this commit or folder, measured in pairs in this run",
      },
      metrics: METRICS,
      latency: {
        type: "boolean",
        help: "with --base or --confirm: also compare p50 and p99 of every row at a fixed rate (rows of oha only: no gRPC, websocket or wrk); about 5 s more a pair",
      },
      "profile-rows": {
        type: "string",
        multiple: true,
        value: "ROW",
        help: "with --base or --confirm: also list the functions that this row spends more or less time in; up to 5 changed rows always have that list; none: no row has it",
      },
      budget: BUDGET,
      detect: DETECT,
      "base-results": {
        type: "string",
        multiple: true,
        value: "FILE",
        help: "compare with a stored results file; give several for a history",
      },
      confirm: {
        type: "string",
        value: "REF|DIR",
        help: "with --base-results: measure rows that look changed in pairs with this commit or folder",
      },
      anchor: ANCHOR,
      "fail-on": {
        type: "string",
        value: "WHEN",
        help: "never | worse | failed: exit 1 when a row is proven worse (not only suspected), or when one failed",
      },
      "memory-limit": MEMORY_LIMIT,
      wait: WAIT,
      shard: {
        type: "string",
        value: "I/N",
        help: "number of this shard of a plan, such as 2/4; with it the report can name missing shards",
      },
      json: JSON_OUTPUT,
    },
  },
  compare: {
    usage: "compare BASE.json [BASE2.json ...] HEAD.json",
    help: "compare stored results files; head comes last",
    options: {
      anchor: ANCHOR,
      "server-under-test": {
        type: "string",
        multiple: true,
        value: "SERVER",
        help: "the server under test: every other server that is the same in all files becomes an anchor",
        aliases: ["tested"],
      },
      out: {
        type: "string",
        value: "DIR",
        help: "write results.json, report.md and index.html there; default: they are not written",
      },
      json: JSON_OUTPUT,
    },
  },
  report: {
    usage: "report RESULTS.json... --out DIR",
    help: "merge results files (shards, days) and render the report",
    options: {
      out: {
        type: "string",
        value: "DIR",
        help: "where results.json, report.md and index.html go; default server-bench-results",
      },
      plan: {
        type: "string",
        value: "FILE",
        help: "the file of plan --plan: the report names the rows of missing shards",
      },
      json: JSON_OUTPUT,
    },
  },
  history: {
    usage: "history RESULTS... --out DIR",
    help: "trends of many runs, changes of their level, and any two runs compared; RESULTS are files, or folders with *.json",
    options: {
      out: {
        type: "string",
        value: "DIR",
        help: `where index.html, history.json, feed.atom and badge.json go; default ${HISTORY_OUT}`,
      },
      repository: {
        type: "string",
        value: "URL",
        help: "address of the repository on the web, for links to commits; default in a job on GitHub: its repository",
      },
      json: JSON_OUTPUT,
    },
  },
  plan: {
    usage: "plan [SELECTOR...] --shards N",
    help: "make a matrix for a workflow, balanced by expected time",
    options: {
      shards: { type: "string", value: "N", help: "number of jobs that measure, 1 to 256" },
      plan: { type: "string", value: "FILE", help: "write here which shard has which rows, for report --plan" },
      profile: PROFILE,
      scenarios: SCENARIOS,
      server: SERVER,
      python: PYTHON,
      cores: {
        type: "string",
        value: "N",
        help: "CPUs of the machines that measure; default: as many as this one has",
      },
      json: { type: "boolean", help: "print only the matrix, as one line of JSON for a job output" },
    },
  },
  release: {
    usage: "release [SELECTOR...] --tag TAG [--previous TAG]",
    help: "compare a release with the one before it, in pairs, and write its page and its notes",
    options: {
      tag: { type: "string", value: "TAG", help: "the release; the checkout must be at this tag" },
      previous: {
        type: "string",
        value: "TAG",
        help: "the release to compare with; default: the tag before it in version order",
      },
      site: {
        type: "string",
        value: "DIR",
        help: "add the page to this folder of all releases, with an index, ready to be published",
      },
      "page-url": {
        type: "string",
        value: "URL",
        help: "address at which the folder of --site is published; the notes link the page there",
      },
      results: {
        type: "string",
        value: "FILE",
        help: "take results that `release` measured before for this tag; nothing is measured",
      },
      "update-release": {
        type: "boolean",
        help: "with --results and GITHUB_TOKEN: write the notes into the release on GitHub; exit 1 if they could not be written",
      },
      profile: PROFILE,
      out: {
        type: "string",
        value: "DIR",
        help: "results.json, report.md, index.html and notes.md; default server-bench-results",
      },
      scenarios: SCENARIOS,
      server: SERVER,
      python: PYTHON,
      metrics: METRICS,
      latency: {
        type: "boolean",
        help: "also compare p50 and p99 of every row at a fixed rate (rows of oha only: no gRPC, websocket or wrk); about 5 s more a pair",
      },
      budget: BUDGET,
      detect: DETECT,
      "memory-limit": MEMORY_LIMIT,
      wait: WAIT,
      "fail-on": {
        type: "string",
        value: "WHEN",
        help: "never | worse | failed: exit 1 when a row is proven worse, or when one failed",
      },
    },
  },
  init: {
    usage: "init [DIR]",
    help: "look at a Python web app, try it, and write benchmarks/ and a workflow that measure it",
    options: {
      app: {
        type: "string",
        value: "TARGET",
        help: "the app as MODULE:OBJECT, or MODULE:FUNCTION(); default: the one found",
      },
      interface: { type: "string", value: "NAME", help: "asgi, wsgi or rsgi, if the app's files do not show it" },
      server: {
        type: "string",
        value: "NAME",
        help: "the server that it runs under; default: the one that the project starts",
      },
      route: {
        type: "string",
        multiple: true,
        value: "PATH",
        help: "a page to measure, such as /items/1; default: up to three that the app answers",
      },
      requires: {
        type: "string",
        multiple: true,
        value: "REQUIREMENT",
        help: "a requirement that the project's files lack",
      },
      env: {
        type: "string",
        multiple: true,
        value: "NAME=VALUE",
        help: "a variable that the app needs; it is written to servers.yml, so it must not be a secret",
      },
      name: { type: "string", value: "NAME", help: "name of the set; default: that of the project" },
      python: { type: "string", value: "VERSION", help: "Python to run the app on: a version or a path" },
      yes: { type: "boolean", help: "accept what is proposed without questions" },
      force: { type: "boolean", help: "replace existing files" },
      hardened: {
        type: "boolean",
        help: "write a workflow of two jobs: the one that runs the pull request's code has a token that can only read",
      },
    },
  },
  doctor: {
    usage: "doctor [--json]",
    help: "what this machine has and lacks for good measurements, and what to do",
    options: { json: JSON_OUTPUT },
  },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;

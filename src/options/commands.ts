/** The commands and their options. */
import { HISTORY_OUT, OPTIONS, type Option } from "./options.js";

export interface CommandSpec {
  /** What follows the command's name. */
  readonly usage: string;
  /** One line of the help. */
  readonly help: string;
  /** What the command does when no option is given, for its own help. */
  readonly details?: string;
  readonly options: Readonly<Record<string, Option>>;
}

const { json, scenarios, server, python, profile, out, metrics, latency, budget, detect, wait } = OPTIONS;
const {
  "memory-limit": memoryLimit,
  "fail-on": failOn,
  "profile-rows": profileRows,
  "base-results": baseResults,
} = OPTIONS;

export const COMMANDS = {
  run: {
    usage: "[SELECTOR...]",
    help: "Measure benchmarks; with `--base`, compare two commits",
    details: "Default: the set `interfaces`, profile `standard`, results in `server-bench-results`.",
    options: {
      metrics,
      latency,
      server,
      python,
      scenarios,
      shard: OPTIONS.shard,
      base: OPTIONS.base,
      "base-results": baseResults,
      confirm: {
        type: "string",
        value: "REF|DIR",
        group: "Comparison",
        help: "With `--base-results`: base that confirms the changes",
      },
      anchor: OPTIONS.anchor,
      "profile-rows": profileRows,
      profile,
      detect,
      budget,
      wait,
      out,
      "fail-on": failOn,
      json,
      "memory-limit": memoryLimit,
    },
  },
  release: {
    usage: "[SELECTOR...] --tag TAG",
    help: "Compare a release with the one before it; write its notes",
    details: "Default: the set `interfaces`; page and notes go to `server-bench-results`.",
    options: {
      tag: OPTIONS.tag,
      previous: OPTIONS.previous,
      site: OPTIONS.site,
      "page-url": OPTIONS["page-url"],
      results: {
        type: "string",
        value: "FILE",
        group: "Release",
        help: "Results that `release` measured before: measure nothing",
      },
      "update-release": {
        ...OPTIONS["update-release"],
        details: "Needs `--results` and `GITHUB_TOKEN`. Exit code 1 where GitHub refuses.",
      },
      metrics,
      latency,
      server,
      python,
      scenarios,
      "profile-rows": profileRows,
      profile,
      detect,
      budget,
      wait,
      out: { ...out, help: "Folder for `results.json`, `index.html` and `notes.md`" },
      "fail-on": failOn,
      "memory-limit": memoryLimit,
    },
  },
  init: {
    usage: "[DIR]",
    help: "Write the benchmarks and the workflow of a Python web app",
    details: "It starts the app once to see what it answers.",
    options: {
      app: {
        type: "string",
        value: "TARGET",
        group: "Project",
        help: "`MODULE:OBJECT` or `MODULE:FUNCTION()`; default: found",
      },
      interface: {
        type: "string",
        value: "NAME",
        group: "Project",
        help: "`asgi`, `wsgi` or `rsgi`, if the files do not show it",
      },
      server: { type: "string", value: "NAME", group: "Project", help: "Server it runs under; default: the project's" },
      route: {
        type: "string",
        multiple: true,
        value: "PATH",
        group: "Project",
        help: "Page to measure, such as `/items/1`; default: up to 3",
      },
      requires: {
        type: "string",
        multiple: true,
        value: "REQUIREMENT",
        group: "Project",
        help: "Requirement that the project's files lack",
      },
      env: {
        type: "string",
        multiple: true,
        value: "NAME=VALUE",
        group: "Project",
        help: "Variable of the app; in `servers.yml`, so no secret",
      },
      name: { type: "string", value: "NAME", group: "Project", help: "Name of the set; default: that of the project" },
      python: {
        type: "string",
        value: "VERSION",
        group: "Project",
        help: "Version or path of the Python that runs it",
      },
      yes: { type: "boolean", group: "Project", help: "Accept what is proposed, without questions" },
      force: { type: "boolean", group: "Project", help: "Replace existing files" },
    },
  },
  list: {
    usage: "[SELECTOR...]",
    help: "List sets, benchmarks and servers, and how long they take",
    options: { scenarios, json },
  },
  setup: {
    usage: "[SELECTOR...]",
    help: "Install what benchmarks need; default: those of all sets",
    options: { server, python, scenarios },
  },
  doctor: {
    usage: "",
    help: "Check what this machine lacks for good measurements",
    options: { json },
  },
  plan: {
    usage: "[SELECTOR...] --shards N",
    help: "Divide benchmarks among the jobs of a workflow",
    options: {
      shards: OPTIONS.shards,
      cores: OPTIONS.cores,
      server,
      python,
      scenarios,
      profile,
      plan: {
        type: "string",
        value: "FILE",
        group: "Output",
        help: "Write which shard measures what, for `report --plan`",
      },
      json: { type: "boolean", group: "Output", help: "Print only the matrix, as one line of JSON" },
    },
  },
  report: {
    usage: "RESULTS.json...",
    help: "Merge results files of shards or days into one report",
    options: {
      plan: {
        type: "string",
        value: "FILE",
        group: "Output",
        help: "File of `plan --plan`: names what missing shards lack",
      },
      out,
      json,
    },
  },
  compare: {
    usage: "BASE.json... HEAD.json",
    help: "Compare stored results files; head comes last",
    options: {
      anchor: OPTIONS.anchor,
      "server-under-test": {
        type: "string",
        multiple: true,
        value: "NAME",
        group: "Comparison",
        help: "All other unchanged servers become anchors",
        aliases: ["tested"],
      },
      out: { ...out, details: "Default: they are not written." },
      json,
    },
  },
  history: {
    usage: "RESULTS...",
    help: "Show the trends of many runs, and when they changed",
    details: "RESULTS are files, or folders with `*.json`.",
    options: {
      repository: {
        type: "string",
        value: "URL",
        group: "Output",
        help: "Web address of the repository, to link commits",
        details: "Default in a job on GitHub: its repository.",
      },
      out: {
        ...out,
        help: "Folder for the page, `history.json`, feed and badge",
        details: `Default: \`${HISTORY_OUT}\`.`,
      },
      json,
    },
  },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;

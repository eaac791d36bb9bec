/** The action's inputs, checked as the command line's are: nothing is started before all of them are right. */
import { resolve } from "node:path";
import { DEFAULTS } from "../commands/options.js";
import { parseBudget } from "../commands/run/base-plan.js";
import type { RunOptions } from "../commands/run/run.js";
import { failOnNamed } from "../commands/run-command.js";
import { InputError } from "../errors.js";
import { checkCommentKey } from "../github/marker.js";
import { didYouMean } from "../plan/nearest.js";
import { splitSelectors } from "../plan/select.js";
import { parseShard } from "../plan/shards.js";

const COMMANDS = ["run", "plan", "report"] as const;
type ActionCommand = (typeof COMMANDS)[number];

const BASELINES = ["paired", "auto", "artifact", "none"] as const;
/**
 * What a pull request is compared with. `paired`: base measured beside head, stored results where base cannot be
 * checked out. `auto`: stored results first, then pairs for the rows that look changed; pairs where nothing is stored.
 */
type BaselineMode = (typeof BASELINES)[number];

export interface ActionInputs {
  readonly command: ActionCommand;
  /** Without what is compared: that is known after GitHub was asked. */
  readonly run: Omit<RunOptions, "base" | "confirm">;
  readonly baseline: BaselineMode;
  /** A git reference or folder; undefined: the pull request's own base. */
  readonly base: string | undefined;
  readonly budgetMinutes: number | undefined;
  readonly comment: { readonly wanted: boolean; readonly key: string; readonly author: string | undefined };
  readonly token: string;
  readonly shards: number | undefined;
  readonly cores: number | undefined;
  readonly retentionDays: number | undefined;
}

type Input = (name: string) => string;

/** @param input the value of an input, "" when it was not given @throws InputError naming the input */
export function readInputs(input: Input, workspace: string): ActionInputs {
  const base = input("base");
  const budget = input("budget");
  const author = input("comment-author");
  const baseline = oneOf("baseline", input("baseline") || "paired", BASELINES);
  if (base !== "" && baseline === "none") throw new InputError("base has no meaning with baseline: none");
  if (input("fail-on") === "worse" && baseline === "none" && input("command") !== "report")
    throw new InputError("fail-on: worse has no meaning with baseline: none: nothing is compared");
  return {
    command: oneOf("command", input("command") || "run", COMMANDS),
    run: runOptions(input, workspace),
    baseline,
    base: base === "" ? undefined : base,
    budgetMinutes: budget === "" ? undefined : parseBudget(budget),
    comment: {
      wanted: yesOrNo("comment", input("comment") || "true"),
      key: checkCommentKey(input("comment-key") || "default"),
      author: author === "" ? undefined : author,
    },
    token: input("token"),
    shards: wholeNumber("shards", input("shards")),
    cores: wholeNumber("cores", input("cores")),
    retentionDays: wholeNumber("retention-days", input("retention-days")),
  };
}

function runOptions(input: Input, workspace: string): ActionInputs["run"] {
  const selectors = splitSelectors([input("scenarios")]);
  const servers = linesOf(input("servers"));
  const baseline = { files: linesOf(input("base-results")), anchors: linesOf(input("anchor")) };
  const profile = input("profile") || DEFAULTS.profile;
  const scenarios = input("scenarios-dir");
  const python = input("python");
  const shard = input("shard");
  const latency = yesOrNo("latency", input("latency") || "false");
  const chosen = selectors.length === 0 ? [...DEFAULTS.selectors] : selectors;
  return {
    selectors: chosen,
    profile,
    out: resolve(workspace, input("out") || DEFAULTS.out),
    ...(scenarios === "" ? {} : { scenarios: resolve(workspace, scenarios) }),
    servers,
    ...(python === "" ? {} : { python }),
    ...(shard === "" ? {} : { shard: parseShard(shard) }),
    ...(latency && { latency }),
    failOn: failOnNamed(input("fail-on") || DEFAULTS.failOn),
    baseline,
    command: [
      ...["server-bench", "run", ...chosen, "--profile", profile],
      ...(scenarios === "" ? [] : ["--scenarios", scenarios]),
      ...servers.flatMap((server) => ["--server", server]),
      ...(python === "" ? [] : ["--python", python]),
      ...(latency ? ["--latency"] : []),
      ...baseline.files.flatMap((file) => ["--base-results", file]),
      ...baseline.anchors.flatMap((server) => ["--anchor", server]),
    ],
  };
}

function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found === undefined)
    throw new InputError(`invalid ${name} "${value}": use ${known.join(", ")}${didYouMean(value, known)}`);
  return found;
}

/** As YAML 1.2's core schema writes booleans. */
function yesOrNo(name: string, value: string): boolean {
  if (/^(true|True|TRUE)$/.test(value)) return true;
  if (/^(false|False|FALSE)$/.test(value)) return false;
  throw new InputError(`invalid ${name} "${value}": use true or false`);
}

function wholeNumber(name: string, value: string): number | undefined {
  if (value === "") return undefined;
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new InputError(`invalid ${name} "${value}": give a whole number above 0`);
  return Number(value);
}

/** One to a line. */
function linesOf(value: string): string[] {
  return value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

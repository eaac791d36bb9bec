/** The action's inputs, all checked before anything is started. Every message names the input. */

import { resolve } from "node:path";
import { checkSiteUrl } from "../commands/release/site-url.js";
import { parseBudget, parseDetect, parseFailOn, parseMemoryLimit, parseWait } from "../commands/run/option-values.js";
import type { RunOptions } from "../commands/run/options.js";
import { parseProfileRows } from "../commands/run/profile-rows.js";
import { type Precision, USUAL_PRECISION } from "../compare/precision.js";
import { InputError } from "../errors.js";
import { checkCommentKey } from "../github/comment-marker.js";
import { ACTION_COMMANDS, type ActionCommand, INPUTS, type InputName } from "../options/inputs.js";
import { didYouMean } from "../plan/nearest.js";
import type { OptionNames } from "../plan/option-names.js";
import { splitSelectors } from "../plan/select.js";
import { parseMetrics, USUAL_METRICS } from "../plan/selected-metrics.js";
import { parseShard, parseShards } from "../plan/shards.js";
import { type DispatchInputs, dispatchInputs } from "./bench/dispatch-inputs.js";
import { type BenchRequest, inputsOfRequest, readRequest } from "./bench/request.js";

const BASELINES = ["paired", "auto", "artifact", "none"] as const;
/**
 * What a pull request is compared with. `paired`: base measured beside head, stored results where base cannot be
 * checked out. `auto`: stored results first, then pairs for the rows that may have changed; pairs where nothing is stored.
 */
type BaselineMode = (typeof BASELINES)[number];

/** What the inputs ask for. Whether it exists is known only after git and GitHub have answered. */
interface ComparisonInputs {
  readonly baseline: BaselineMode;
  /** A git reference or folder; undefined: the pull request's base. */
  readonly base: string | undefined;
  /** Stored results files; none: those of the base branch's runs. */
  readonly files: readonly string[];
  readonly anchors: readonly string[];
  readonly budgetMinutes: number | undefined;
  readonly latency: boolean;
  readonly precision: Precision;
}

interface ReleaseInputs {
  /** Undefined: the tag that the event names. */
  readonly tag: string | undefined;
  /** Undefined: the tag before it in version order. */
  readonly previous: string | undefined;
  /** Absolute. */
  readonly site: string | undefined;
  readonly siteUrl: string | undefined;
  readonly update: boolean;
  /** `false`: another job of this run has measured. */
  readonly measure: boolean;
}

export interface ActionInputs {
  readonly command: ActionCommand;
  readonly run: RunOptions;
  /** As it was given; `run.scenarios` is absolute. */
  readonly scenariosDir: string | undefined;
  readonly compare: ComparisonInputs;
  readonly comment: { readonly wanted: boolean; readonly key: string; readonly author: string | undefined };
  readonly release: ReleaseInputs;
  readonly dispatch: DispatchInputs;
  /** What `command: dispatch` asked this run for. */
  readonly request: BenchRequest | undefined;
  readonly token: string;
  /** Measure a fork's pull request on a self-hosted runner too. */
  readonly allowForks: boolean;
  readonly shards: number | undefined;
  readonly cores: number | undefined;
  readonly retentionDays: number | undefined;
}

/** The inputs' names, for messages. */
export const INPUT_NAMES: OptionNames = {
  profile: "profile",
  quickProfile: "profile: quick",
  server: "servers",
  scenarios: "scenarios-dir",
  python: "python",
  shards: "shards",
  cores: "cores",
  latency: "latency",
  selectors: "name them in the input scenarios",
  usualSets: [],
};

type Input = (name: InputName) => string;

/** @param given the value of an input, "" when it was not given @throws InputError naming the input */
export function readInputs(given: (name: string) => string, workspace: string): ActionInputs {
  const request = readRequest(given("request"));
  const input = withDefaults(inputsOfRequest(request, given));
  const author = input("comment-author");
  const shards = input("shards");
  return {
    command: oneOf("command", input("command"), ACTION_COMMANDS),
    run: runOptions(input, workspace),
    scenariosDir: input("scenarios-dir") || undefined,
    compare: comparisonInputs(input),
    comment: {
      wanted: yesOrNo("comment", input("comment")),
      key: checkCommentKey(input("comment-key")),
      author: author === "" ? undefined : author,
    },
    release: releaseInputs(input, workspace),
    dispatch: dispatchInputs(input),
    request,
    // Its default is an expression of the workflow.
    token: given("token"),
    allowForks: yesOrNo("allow-forks", input("allow-forks")),
    shards: shards === "" ? undefined : parseShards(shards, "shards"),
    cores: wholeNumber("cores", input("cores")),
    retentionDays: wholeNumber("retention-days", input("retention-days")),
  };
}

/** A workflow may give an input as "", where it takes it from an expression. */
function withDefaults(given: Input): Input {
  return (name) => given(name) || (INPUTS[name].default ?? "");
}

function runOptions(input: Input, workspace: string): RunOptions {
  const scenarios = input("scenarios-dir");
  const python = input("python");
  const shard = input("shard");
  const profiled = input("profile-rows");
  const metrics = input("metrics");
  const memoryLimit = input("memory-limit");
  return {
    selectors: splitSelectors([input("scenarios")]),
    profile: input("profile"),
    out: resolve(workspace, input("out")),
    servers: linesOf(input("servers")),
    failOn: parseFailOn(input("fail-on"), "fail-on"),
    ...(scenarios !== "" && { scenarios: resolve(workspace, scenarios) }),
    ...(python !== "" && { python }),
    ...(profiled !== "" && { profileRows: parseProfileRows([profiled], "profile-rows") }),
    ...(metrics !== "" && { metrics: parseMetrics(metrics, "metrics") }),
    ...(memoryLimit !== "" && { memoryLimitMiB: parseMemoryLimit(memoryLimit, "memory-limit") }),
    waitMinutes: parseWait(input("wait"), "wait"),
    ...(shard !== "" && { shard: parseShard(shard, "shard") }),
  };
}

function releaseInputs(input: Input, workspace: string): ReleaseInputs {
  const [site, url] = [input("site"), input("page-url")];
  return {
    tag: input("tag") || undefined,
    previous: input("previous-tag") || undefined,
    site: site === "" ? undefined : resolve(workspace, site),
    siteUrl: url === "" ? undefined : checkSiteUrl(url, "page-url"),
    update: yesOrNo("update-release", input("update-release")),
    measure: yesOrNo("measure", input("measure")),
  };
}

function comparisonInputs(input: Input): ComparisonInputs {
  const base = input("base");
  const budget = input("budget");
  const detect = input("detect");
  const compare: ComparisonInputs = {
    baseline: oneOf("baseline", input("baseline"), BASELINES),
    base: base === "" ? undefined : base,
    files: linesOf(input("base-results")),
    anchors: linesOf(input("anchor")),
    budgetMinutes: budget === "" ? undefined : parseBudget(budget, "budget"),
    latency:
      yesOrNo("latency", input("latency")) ||
      parseMetrics(input("metrics") || USUAL_METRICS.join(), "metrics").includes("latency"),
    precision: detect === "" ? USUAL_PRECISION : parseDetect(detect, "detect"),
  };
  checkTogether(compare);
  return compare;
}

/** Refuses inputs that contradict each other on every event. An input that has no effect on some events is no mistake. */
function checkTogether({ baseline, base, files }: ComparisonInputs): void {
  if (base !== undefined && baseline === "none") throw new InputError("base has no meaning with baseline: none");
  if (base !== undefined && files.length > 0 && baseline !== "auto")
    throw new InputError("base and base-results exclude each other: give one of them, or baseline: auto");
}

function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found === undefined)
    throw new InputError(`invalid ${name} "${value}": use ${known.join(", ")}${didYouMean(value, known)}`);
  return found;
}

/** The booleans of YAML 1.2's core schema. */
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

/** One value a line. */
function linesOf(value: string): string[] {
  return value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

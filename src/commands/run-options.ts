/** `run` on the command line: arguments -> options, and what head is compared with. Every message names the options. */

import { resolve } from "node:path";
import { type Precision, USUAL_PRECISION } from "../compare/precision.js";
import { InputError } from "../errors.js";
import { DEFAULTS } from "../options/options.js";
import { parseMetrics, type SelectedMetrics, USUAL_METRICS, whyNotStored } from "../plan/selected-metrics.js";
import { parseShard } from "../plan/shards.js";
import { findBase } from "../provision/sides/sides.js";
import { joinedOf, type ParsedCommand, textOf } from "./options.js";
import { type Against, type MeasuredBase, NONE, readStoredRuns, type StoredBase } from "./run/against.js";
import { parseBudget, parseDetect, parseFailOn, parseMemoryLimit, parseWait } from "./run/option-values.js";
import type { RunOptions } from "./run/options.js";
import { parseProfileRows } from "./run/profile-rows.js";

/** The options of a comparison, as they were typed. */
interface Asked {
  readonly base: string | undefined;
  readonly confirm: string | undefined;
  readonly files: readonly string[];
  readonly anchors: readonly string[];
  readonly metrics: SelectedMetrics;
  readonly budgetMinutes: number | undefined;
  readonly latency: boolean;
  /** How it was asked for. */
  readonly latencyOption: string;
  /** Undefined: not given. */
  readonly precision: Precision | undefined;
}

/** @throws InputError for an option with a wrong value */
export function readRunOptions(parsed: ParsedCommand, cwd: string): RunOptions {
  const scenarios = textOf(parsed, "scenarios");
  const python = joinedOf(parsed, "python");
  const shard = textOf(parsed, "shard");
  const profiled = parsed.values.get("profile-rows");
  const metrics = textOf(parsed, "metrics");
  const wait = textOf(parsed, "wait");
  const memoryLimit = textOf(parsed, "memory-limit");
  return {
    selectors: parsed.positionals,
    profile: textOf(parsed, "profile") ?? DEFAULTS.profile,
    out: resolve(cwd, textOf(parsed, "out") ?? DEFAULTS.out),
    servers: parsed.values.get("server") ?? [],
    failOn: parseFailOn(textOf(parsed, "fail-on") ?? DEFAULTS.failOn, "--fail-on"),
    ...(profiled !== undefined && { profileRows: parseProfileRows(profiled, "--profile-rows") }),
    ...(metrics !== undefined && { metrics: parseMetrics(metrics, "--metrics") }),
    ...(memoryLimit !== undefined && { memoryLimitMiB: parseMemoryLimit(memoryLimit, "--memory-limit") }),
    ...(wait !== undefined && { waitMinutes: parseWait(wait, "--wait") }),
    ...(shard !== undefined && { shard: parseShard(shard) }),
    ...(scenarios !== undefined && { scenarios: resolve(cwd, scenarios) }),
    ...(python !== undefined && { python }),
  };
}

/**
 * Finds base and reads the stored files; nothing is checked out.
 * @throws InputError for options that exclude or lack each other, a base that is none, a file that is no results file
 */
export async function readAgainst(parsed: ParsedCommand, cwd: string, failOn: RunOptions["failOn"]): Promise<Against> {
  const asked = askedOf(parsed);
  checkTogether(asked, failOn);
  const given = asked.base ?? asked.confirm;
  const base = given === undefined ? undefined : await readBase(asked, given, cwd);
  if (asked.files.length === 0) return base ? { kind: "paired", base, ifUnusable: "fail" } : NONE;
  const stored: StoredBase = { runs: await readStoredRuns(asked.files, cwd), anchors: asked.anchors, facts: {} };
  return base ? { kind: "storedThenPaired", stored, base } : { kind: "stored", stored };
}

function askedOf(parsed: ParsedCommand): Asked {
  const budget = textOf(parsed, "budget");
  const detect = textOf(parsed, "detect");
  const metrics = parseMetrics(textOf(parsed, "metrics") ?? USUAL_METRICS.join(), "--metrics");
  return {
    base: textOf(parsed, "base"),
    confirm: textOf(parsed, "confirm"),
    files: parsed.values.get("base-results") ?? [],
    anchors: parsed.values.get("anchor") ?? [],
    metrics,
    budgetMinutes: budget === undefined ? undefined : parseBudget(budget, "--budget"),
    latency: parsed.flags.has("latency") || metrics.includes("latency"),
    latencyOption: parsed.flags.has("latency") ? "--latency" : "--metrics latency",
    precision: detect === undefined ? undefined : parseDetect(detect, "--detect"),
  };
}

function checkTogether(asked: Asked, failOn: RunOptions["failOn"]): void {
  const { base, confirm, files, anchors } = asked;
  const stored = files.length > 0;
  if (base !== undefined && stored)
    throw new InputError("--base and --base-results exclude each other: give one of them");
  if (confirm !== undefined && !stored)
    throw new InputError("--confirm has no meaning without stored results: give --base-results FILE");
  if (failOn === "worse" && base === undefined && !stored)
    throw new InputError("--fail-on worse needs something to compare with: give --base REF or --base-results FILE");
  if (anchors.length > 0 && !stored)
    throw new InputError("--anchor has no meaning without a comparison: give --base-results FILE");
  const notStored = stored ? whyNotStored(asked.metrics, "--metrics") : undefined;
  if (notStored !== undefined)
    throw new InputError(`${notStored}: add one of them, or replace --base-results by --base REF`);
  if (base !== undefined || confirm !== undefined) return;
  if (asked.budgetMinutes !== undefined)
    throw new InputError("--budget has no meaning without a base: give --base REF or DIR");
  if (asked.precision) throw new InputError("--detect has no meaning without a base: give --base REF or DIR");
  if (asked.latency)
    throw new InputError(`${asked.latencyOption} has no meaning without a base: give --base REF or DIR`);
}

async function readBase(asked: Asked, given: string, cwd: string): Promise<MeasuredBase> {
  const { base, budgetMinutes, latency, precision = USUAL_PRECISION } = asked;
  const source = await findBase(given, cwd, "folder-or-commit", base === undefined ? "--confirm" : "--base");
  return { source, budgetMinutes, latency, precision };
}

/** `run` on the command line: arguments -> options, and the summary as JSON. */
import { resolve } from "node:path";
import { InputError } from "../errors.js";
import { didYouMean } from "../plan/nearest.js";
import { parseShard } from "../plan/shards.js";
import { findBase } from "../provision/sides/sides.js";
import { parseBudget } from "./base.js";
import { openDisplay } from "./display.js";
import type { Host } from "./host.js";
import { DEFAULTS, joinedOf, type ParsedCommand, repeatOf, textOf } from "./options.js";
import { FAIL_ON, type FailOn, type RunOptions, run } from "./run.js";
import { type RunSummary, summaryOf } from "./summary.js";

export async function runCommand(parsed: ParsedCommand, host: Host): Promise<number> {
  const json = parsed.flags.has("json");
  const options = optionsOf(parsed, host);
  // A typing error is told before head is measured; whatever fails later leaves head's results whole.
  if (options.confirm) await findBase(options.confirm.base.given, host.cwd, options.confirm.base.kind, "--confirm");
  const display = openDisplay(json ? host.stderr : host.stdout, host.env);
  const outcome = await run(options, host, display);
  if (json && outcome.results && outcome.resultsPath && outcome.reportPath) {
    const summary: RunSummary = summaryOf(outcome.results, outcome.resultsPath, outcome.reportPath);
    host.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
  }
  return outcome.exitCode;
}

function optionsOf(parsed: ParsedCommand, host: Host): RunOptions {
  const scenarios = textOf(parsed, "scenarios");
  const python = joinedOf(parsed, "python");
  const shard = textOf(parsed, "shard");
  const failOn = failOnNamed(textOf(parsed, "fail-on") ?? DEFAULTS.failOn);
  const sides = sidesOf(parsed);
  const baseline = { files: parsed.values.get("base-results") ?? [], anchors: parsed.values.get("anchor") ?? [] };
  checkComparison({ failOn, ...sides, baseline });
  return {
    ...sides,
    ...(parsed.flags.has("latency") && { latency: true }),
    ...(shard !== undefined && { shard: parseShard(shard) }),
    selectors: parsed.positionals.length === 0 ? DEFAULTS.selectors : parsed.positionals,
    profile: textOf(parsed, "profile") ?? DEFAULTS.profile,
    out: resolve(host.cwd, textOf(parsed, "out") ?? DEFAULTS.out),
    ...(scenarios === undefined ? {} : { scenarios: resolve(host.cwd, scenarios) }),
    servers: parsed.values.get("server") ?? [],
    ...(python === undefined ? {} : { python }),
    failOn,
    command: repeatOf(parsed),
    baseline,
  };
}

/**
 * The action knows only later whether there is something to compare with, and goes on without.
 * @throws InputError for what has no meaning without a comparison
 */
function checkComparison({ failOn, base, baseline }: Pick<RunOptions, "failOn" | "base" | "baseline">): void {
  if ((baseline?.files.length ?? 0) > 0) return;
  if (failOn === "worse" && base === undefined)
    throw new InputError("--fail-on worse needs something to compare with: give --base REF or --base-results FILE");
  if ((baseline?.anchors.length ?? 0) > 0)
    throw new InputError("--anchor has no meaning without a comparison: give --base-results FILE");
}

/** @throws InputError for a budget without a base, or one that is no number */
function sidesOf(parsed: ParsedCommand): Pick<RunOptions, "base" | "confirm"> {
  const [base, confirm, budget] = [textOf(parsed, "base"), textOf(parsed, "confirm"), textOf(parsed, "budget")];
  if (budget !== undefined && base === undefined && confirm === undefined)
    throw new InputError("--budget has no meaning without a base: give --base REF or DIR");
  if (parsed.flags.has("latency") && base === undefined && confirm === undefined)
    throw new InputError("--latency has no meaning without a base: give --base REF or DIR");
  const minutes = budget === undefined ? {} : { budgetMinutes: parseBudget(budget) };
  const kind = "folder-or-commit";
  return {
    ...(base !== undefined && { base: { given: base, kind, ...minutes } }),
    ...(confirm !== undefined && { confirm: { base: { given: confirm, kind, ...minutes } } }),
  };
}

/** @throws InputError for an unknown word. */
export function failOnNamed(name: string): FailOn {
  const found = FAIL_ON.find((known) => known === name);
  if (!found)
    throw new InputError(`invalid --fail-on "${name}": use ${FAIL_ON.join(", ")}${didYouMean(name, FAIL_ON)}`);
  return found;
}

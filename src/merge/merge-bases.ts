/** What the parts were compared with -> mode and base of the merged comparison. */
import { isDeepStrictEqual } from "node:util";
import { InputError } from "../errors.js";
import type { Comparison, ComparisonMode } from "../results/comparison.js";
import type { ComparedPart } from "./parts.js";

type Facts = Comparison["base"];

interface PartBase {
  readonly source: string;
  readonly mode: ComparisonMode;
  readonly base: Facts;
}

/** @throws InputError for parts that were measured in pairs with different bases: they answer different questions */
export function mergeBases(parts: readonly ComparedPart[]): Pick<Comparison, "mode" | "base" | "storedBase"> {
  const bases = parts.flatMap(basesOf);
  const of = (mode: ComparisonMode) => bases.filter((one) => one.mode === mode);
  const [paired, stored] = [pairedBase(of("paired")), storedBase(of("artifact"))];
  if (paired && stored) return { mode: "mixed", base: paired, storedBase: stored };
  return paired ? { mode: "paired", base: paired } : { mode: "artifact", base: stored ?? {} };
}

/** A part that is mixed itself has one of each. */
function basesOf({ source, comparison: { mode, base, storedBase } }: ComparedPart): PartBase[] {
  if (mode !== "mixed") return [{ source, mode, base }];
  return [
    { source, mode: "paired", base },
    { source, mode: "artifact", base: storedBase ?? {} },
  ];
}

function pairedBase([first, ...others]: readonly PartBase[]): Facts | undefined {
  if (!first) return undefined;
  for (const { source, base } of others) {
    if (!isSameBase(base, first.base))
      throw new InputError(
        `${source}: compares with another base than ${first.source}: merge results of one comparison`,
      );
  }
  return first.base;
}

/** A commit is one base, however each part got hold of it. */
function isSameBase(a: Facts, b: Facts): boolean {
  return a.sha !== undefined && a.uncommitted === undefined && b.uncommitted === undefined
    ? a.sha === b.sha
    : isDeepStrictEqual(a, b);
}

/**
 * Each shard chooses the stored runs that were measured on a machine like its own, so that machines and dates may differ:
 * only what all agree on describes the base, with the largest number of runs. A shard that found no run does not count.
 */
function storedBase(bases: readonly PartBase[]): Facts | undefined {
  const used = bases.filter(({ base }) => base.runs !== "0");
  const [first, ...others] = (used.length > 0 ? used : bases).map(({ base }) => base);
  if (!first) return undefined;
  const shared = Object.entries(first).filter(([name, value]) => others.every((other) => other[name] === value));
  const runs = Math.max(...[first, ...others].map((base) => Number(base.runs ?? 1)));
  return { ...Object.fromEntries(shared), runs: String(runs) };
}

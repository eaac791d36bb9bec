/** Packages that differ between base and head beside what is compared: they can be the cause of a change. */
import { canonical } from "../../plan/distribution-name.js";
import type { PlannedRow } from "../../plan/types.js";
import type { ReadyEnvironment } from "../types.js";

/** How many packages a note names. */
const NAMED = 5;

interface InstalledSide {
  readonly row: Pick<PlannedRow, "environment">;
  readonly ready: Pick<ReadyEnvironment, "packages" | "local">;
}

interface DifferingVersion {
  readonly name: string;
  /** undefined: it is not installed. */
  readonly base: string | undefined;
  readonly head: string | undefined;
}

/** By name. The server and what comes from a checkout are expected to differ, and are left out. */
export function differingVersions(base: InstalledSide, head: InstalledSide): DifferingVersion[] {
  const [ofBase, ofHead] = [versionsOf(base), versionsOf(head)];
  const expected = new Set([...expectedOf(base), ...expectedOf(head)]);
  return [...new Set([...ofBase.keys(), ...ofHead.keys()])]
    .filter((name) => !expected.has(name) && ofBase.get(name) !== ofHead.get(name))
    .sort()
    .map((name) => ({ name, base: ofBase.get(name), head: ofHead.get(name) }));
}

/** One note, or none. */
export function packageNotes(base: InstalledSide, head: InstalledSide): string[] {
  const differing = differingVersions(base, head).map(
    (one) => `${one.name} ${one.base ?? "none"} in base, ${one.head ?? "none"} in head`,
  );
  if (differing.length === 0) return [];
  const more = differing.length > NAMED ? [`and ${differing.length - NAMED} more`] : [];
  return [`other packages differ: ${[...differing.slice(0, NAMED), ...more].join("; ")}`];
}

function versionsOf({ ready }: InstalledSide): ReadonlyMap<string, string> {
  return new Map(
    ready.packages.map((entry) => {
      const [name = "", version = ""] = entry.split("==");
      return [canonical(name), version];
    }),
  );
}

function expectedOf({ row, ready }: InstalledSide): string[] {
  return [row.environment.distribution, ...(ready.local ?? [])].map(canonical);
}

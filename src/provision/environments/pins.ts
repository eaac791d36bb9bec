/** Pins of servers.yml give way to what the user asks for, and only where both do not fit. */
import { distributionOf, hasVersion, withoutVersion } from "../../plan/requirements.js";
import type { EnvironmentSpec } from "../../plan/types.js";
import { isAtLeast, parseVersion } from "../tools/version.js";
import type { EnvironmentManifest } from "./manifest.js";

/** Distributions whose version the user gives, with `--server` or in the entry of the app. */
export function givenDistributions({ chosen = [], own = [] }: EnvironmentSpec): ReadonlySet<string> {
  return new Set([...chosen, ...own.filter(hasVersion)].map(distributionOf));
}

/** The requirements, with the pins of the distributions that the user gives left open. */
export function besideGiven(spec: EnvironmentSpec): string[] {
  const given = givenDistributions(spec);
  return open(spec, (name) => given.has(name));
}

/** The requirements with every pin left open: an older release may need older releases of others. Undefined where the user gives nothing. */
export function withoutPins(spec: EnvironmentSpec): string[] | undefined {
  if (givenDistributions(spec).size === 0) return undefined;
  const opened = open(spec, () => true);
  return opened.some((one, index) => one !== spec.requires[index]) ? opened : undefined;
}

function open({ requires, chosen = [], own = [] }: EnvironmentSpec, isOpen: (name: string) => boolean): string[] {
  const kept = chosen.map(distributionOf);
  return requires.map((one) => {
    const name = distributionOf(one);
    return own.includes(one) || kept.includes(name) || !isOpen(name) ? one : withoutVersion(one);
  });
}

/** What the installed release of the server needs besides, where it is an older one and the user does not say otherwise. */
export function neededByOlder(spec: EnvironmentSpec, packages: EnvironmentManifest["packages"]): string[] {
  const { distribution, older = [] } = spec;
  const installed = packages.find(({ name }) => distributionOf(name) === distributionOf(distribution));
  const version = parseVersion(installed?.version ?? "");
  if (version === undefined) return [];
  const given = givenDistributions(spec);
  return older
    .filter(({ before }) => !isAtLeast(version, before))
    .flatMap(({ requires }) => requires.filter((one) => !given.has(distributionOf(one))));
}

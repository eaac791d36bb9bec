/** Pins of servers.yml that gave way to other versions. */
import { distributionOf } from "../../plan/requirements.js";
import type { EnvironmentSpec } from "../../plan/types.js";
import type { Provisioned, ReplacedPin } from "../types.js";
import type { InstalledPackages } from "./list-packages.js";

const PIN = /^([\w.-]+)(?:\[[^\]]*\])?==([\w.+!-]+)(?:;.*)?$/;

export function replacedPins(spec: EnvironmentSpec, packages: InstalledPackages): ReplacedPin[] {
  const { server, install, requires } = spec;
  const cause =
    install === undefined
      ? `Pins of ${server} do not fit the versions that were asked for, and these were measured`
      : `The app ${install.app} brings its own versions, and these were measured`;
  const installed = new Map(packages.map(({ name, version }) => [distributionOf(name), version]));
  const pins = new Map<string, ReplacedPin>();
  for (const requirement of requires) {
    const [, name, pinned] = PIN.exec(requirement.replaceAll(/\s+/g, "")) ?? [];
    const found = name === undefined ? undefined : installed.get(distributionOf(name));
    if (name === undefined || pinned === undefined || found === undefined || isSame(pinned, found)) continue;
    pins.set(name, { cause, name, pinned, installed: found });
  }
  return [...pins.values()];
}

/** `1.0` and `1.0.0` are one version (PEP 440). */
function isSame(one: string, other: string): boolean {
  const plain = (version: string) => version.replace(/(?:\.0)+$/, "");
  return plain(one) === plain(other);
}

/** One sentence for each cause, for the results. */
export function replacedNotes({ environments }: Pick<Provisioned, "environments">): string[] {
  const causes = new Map<string, Set<string>>();
  for (const state of environments.values()) {
    if (state.state !== "ready") continue;
    for (const { cause, name, pinned, installed } of state.replaced ?? []) {
      const versions = causes.get(cause) ?? new Set();
      causes.set(cause, versions.add(`${name} ${installed} instead of ${pinned}`));
    }
  }
  return [...causes].map(([cause, versions]) => `${cause}: ${[...versions].join(", ")} of servers.yml.`);
}

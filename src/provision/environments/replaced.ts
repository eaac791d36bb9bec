/** Pins of servers.yml that gave way to the app's own versions. */
import { distributionOf } from "../../plan/requirements.js";
import type { EnvironmentSpec } from "../../plan/types.js";
import type { Provisioned, ReplacedPin } from "../types.js";
import type { InstalledPackages } from "./list-packages.js";

const PIN = /^([\w.-]+)(?:\[[^\]]*\])?==([\w.+!-]+)(?:;.*)?$/;

export function replacedPins({ install, requires }: EnvironmentSpec, packages: InstalledPackages): ReplacedPin[] {
  if (install === undefined) return [];
  const installed = new Map(packages.map(({ name, version }) => [distributionOf(name), version]));
  const pins = new Map<string, ReplacedPin>();
  for (const requirement of requires) {
    const [, name, pinned] = PIN.exec(requirement.replaceAll(/\s+/g, "")) ?? [];
    const found = name === undefined ? undefined : installed.get(distributionOf(name));
    if (name === undefined || pinned === undefined || found === undefined || isSame(pinned, found)) continue;
    pins.set(name, { app: install.app, name, pinned, installed: found });
  }
  return [...pins.values()];
}

/** `1.0` and `1.0.0` are one version (PEP 440). */
function isSame(one: string, other: string): boolean {
  const plain = (version: string) => version.replace(/(?:\.0)+$/, "");
  return plain(one) === plain(other);
}

/** One sentence for each app, for the results. */
export function replacedNotes({ environments }: Pick<Provisioned, "environments">): string[] {
  const apps = new Map<string, Set<string>>();
  for (const state of environments.values()) {
    if (state.state !== "ready") continue;
    for (const { app, name, pinned, installed } of state.replaced ?? []) {
      const versions = apps.get(app) ?? new Set();
      apps.set(app, versions.add(`${name} ${installed} instead of ${pinned}`));
    }
  }
  return [...apps].map(
    ([app, versions]) =>
      `The app ${app} brings its own versions, and these were measured: ${[...versions].join(", ")} of servers.yml.`,
  );
}

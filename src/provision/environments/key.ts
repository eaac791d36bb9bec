/** Names that distinguish environments, and distributions. */
import { createHash } from "node:crypto";
import type { EnvironmentSpec } from "../../plan/types.js";

/** The first 12 hexadecimal digits of a SHA-256 over JSON: enough for some thousand environments. */
export function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 12);
}

/** Requirements sorted, each once: another order in the plan is the same environment. */
export function normalizedRequires(spec: EnvironmentSpec): readonly string[] {
  return [...new Set(spec.requires)].sort();
}

/** The key of `Provisioned.environments`: equal for rows that share one environment. */
export function environmentKey(spec: EnvironmentSpec): string {
  const python = spec.python ?? "default";
  const app = spec.install === undefined ? [] : [spec.install, spec.chosen ?? []];
  return `${spec.server}-${shortHash([spec.server, spec.distribution, python, normalizedRequires(spec), ...app])}`;
}

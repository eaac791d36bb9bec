/** Names that distinguish environments, and distributions. */
import { createHash } from "node:crypto";
import { canonical } from "../../plan/distribution-name.js";
import type { EnvironmentSpec } from "../../plan/types.js";
import { placelessRequires } from "./source-digest.js";

/** The first 12 hexadecimal digits of a SHA-256 over JSON: enough for some thousand environments. */
export function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 12);
}

/** Requirements sorted, each once: another order in the plan is the same environment. */
export function normalizedRequires(spec: EnvironmentSpec): readonly string[] {
  return [...new Set(spec.requires)].sort();
}

/** What an environment holds, but for an app's own files. Servers that differ by their command alone share one. */
export function contentKey(spec: EnvironmentSpec): readonly unknown[] {
  const { distribution, own = [], older = [] } = spec;
  return [canonical(distribution), placelessRequires(normalizedRequires(spec)), placelessRequires(own), older];
}

/** The key of `Provisioned.environments`: equal for rows that share one environment. */
export function environmentKey(spec: EnvironmentSpec): string {
  const app = spec.install === undefined ? [] : [spec.install, spec.chosen ?? []];
  const key = [...contentKey(spec), normalizedRequires(spec), spec.python ?? "default", ...app];
  return `${spec.distribution}-${shortHash(key)}`;
}

/** What was installed beside each server. */
import { nameSome } from "../../messages/sentence.js";
import type { CaseResult, ServerInfo } from "../../results/schema.js";

/** More rows are counted, not named. */
const NAMED = 3;

export interface PackageList {
  /** `Granian 2.8.0 (Python 3.11.2)`; with its rows where another list has the same server, version and Python. */
  readonly name: string;
  readonly lines: readonly string[];
}

interface Environment {
  readonly name: string;
  readonly lines: readonly string[];
  readonly rows: Set<string>;
}

/** Each environment once, under the server that it was made for. Not yet escaped. */
export function packageLists(cases: readonly CaseResult[]): PackageList[] {
  const environments = new Map<string, Environment>();
  for (const { id, server } of cases) {
    if (!server.packages) continue;
    const key = JSON.stringify([server.name, server.python, server.packages]);
    const known = environments.get(key) ?? { name: nameOf(server), lines: server.packages, rows: new Set() };
    environments.set(key, known);
    known.rows.add(id);
  }
  const all = [...environments.values()];
  return all.map(({ name, lines, rows }) => {
    const isAlone = all.filter((other) => other.name === name).length === 1;
    return { name: isAlone ? name : `${name}: ${nameSome([...rows], NAMED)}`, lines };
  });
}

function nameOf({ title, version, python }: ServerInfo): string {
  return [title, version, python && `(Python ${python})`].filter(Boolean).join(" ");
}

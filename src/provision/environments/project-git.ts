/** What a project without a lock takes from git. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../errors.js";
import { canonical } from "../../plan/distribution-name.js";
import { distributionOf } from "../../plan/requirements.js";
import { isTable, parseToml, type Table, tableAt, textsIn } from "../../plan/toml.js";
import type { AppInstall } from "../../plan/types.js";
import { requirementFromGit } from "./requirements-file.js";

type Chosen = Pick<AppInstall, "extras" | "groups">;

/** Requirements of pyproject.toml that are installed, and uv's sources: `lib @ git+https://host/lib.git@main`. */
export async function gitOfProject(folder: string, chosen: Chosen): Promise<string[]> {
  const table = await readProject(join(folder, "pyproject.toml"));
  const texts = installed(table, chosen);
  const unused = unusedNames(table, texts);
  const sources = Object.entries(tableAt(table, "tool", "uv", "sources"))
    .filter(([name]) => !unused.has(canonical(name)))
    // A source may be several, each for its own platforms.
    .flatMap(([name, source]) => (Array.isArray(source) ? source : [source]).flatMap((one) => fromGit(name, one)));
  return [...texts.flatMap((text) => requirementFromGit(text) ?? []), ...sources];
}

const OTHER_PLATFORM = /^\s*(?:sys_platform|platform_system)\s*==\s*["'](?:win32|cygwin|darwin|Windows|Darwin)["']\s*$/;

function fromGit(name: string, source: unknown): string[] {
  const { git, rev, tag, branch, marker } = isTable(source) ? source : {};
  if (typeof git !== "string" || (typeof marker === "string" && OTHER_PLATFORM.test(marker))) return [];
  const reference = rev ?? tag ?? branch;
  return [`${name} @ git+${git}${reference === undefined ? "" : `@${String(reference)}`}`];
}

/** Requirements of the project and its build, and of the chosen extras and groups. */
function installed(table: Table, { extras, groups }: Chosen): string[] {
  const grouped = tableAt(table, "dependency-groups");
  const texts = [
    ...textsIn(tableAt(table, "build-system").requires),
    ...textsIn(tableAt(table, "project").dependencies),
    ...groups.flatMap((group) => ofGroup(grouped, canonical(group))),
  ];
  return [...texts, ...ofExtras(table, [...extras.map(canonical), ...texts.flatMap((text) => ownExtras(table, text))])];
}

/** An extra may name others of its own project: `all = ["shop[redis]"]`. */
function ofExtras(table: Table, extras: readonly string[]): string[] {
  const optional = tableAt(table, "project", "optional-dependencies");
  // A set visits what is added meanwhile, and each extra once.
  const chosen = new Set(extras);
  const texts: string[] = [];
  for (const extra of chosen) {
    const own = textsIn(named(optional, extra));
    texts.push(...own);
    for (const one of own.flatMap((text) => ownExtras(table, text))) chosen.add(one);
  }
  return texts;
}

/** Extras of this project that a requirement asks for. */
function ownExtras(table: Table, requirement: string): string[] {
  const { name } = tableAt(table, "project");
  const [, extras = ""] = /^[^[]*\[([^\]]*)\]/.exec(requirement) ?? [];
  if (typeof name !== "string" || distributionOf(requirement) !== canonical(name)) return [];
  return extras.split(",").map((extra) => canonical(extra.trim()));
}

/** Entries `{ include-group = "other" }` have those of the other group: https://peps.python.org/pep-0735/ */
function ofGroup(groups: Table, group: string, seen: ReadonlySet<string> = new Set()): string[] {
  const entries = named(groups, group);
  if (seen.has(group) || !Array.isArray(entries)) return [];
  const included = entries.flatMap((entry) => {
    const other = isTable(entry) ? entry["include-group"] : undefined;
    return typeof other === "string" ? ofGroup(groups, canonical(other), new Set([...seen, group])) : [];
  });
  return [...textsIn(entries), ...included];
}

/** The value of a key whose spelling may differ. */
function named(table: Table, canonicalName: string): unknown {
  return Object.entries(table).find(([key]) => canonical(key) === canonicalName)?.[1];
}

/**
 * What only extras and groups need that were not chosen. What the file does not name counts as used: dependencies can be dynamic, and
 * members of a workspace have the sources of its root.
 */
function unusedNames(table: Table, texts: readonly string[]): ReadonlySet<string> {
  const optional = Object.values(tableAt(table, "project", "optional-dependencies"));
  const grouped = Object.values(tableAt(table, "dependency-groups"));
  const used = new Set(texts.map(distributionOf));
  const all = [...optional, ...grouped].flatMap(textsIn).map(distributionOf);
  return new Set(all.filter((name) => !used.has(name)));
}

/** Empty where there is none that can be read: its installation says so. */
async function readProject(file: string): Promise<Table> {
  const text = await readFile(file, "utf8").catch(() => "");
  try {
    return parseToml(file, text);
  } catch (error) {
    if (error instanceof InputError) return {};
    throw error;
  }
}

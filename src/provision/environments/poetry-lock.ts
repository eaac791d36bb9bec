/** A poetry.lock -> a requirements file with versions, markers and hashes. Poetry itself is not needed. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as v from "valibot";
import { canonical } from "../../plan/distribution-name.js";
import { recordsGroups } from "../../plan/poetry-lock-format.js";
import { gitAddress } from "../../plan/poetry-requirements.js";
import { parseToml, type Table, tableAt } from "../../plan/toml.js";

const sourceSchema = v.object({
  type: v.string(),
  url: v.string(),
  resolved_reference: v.optional(v.string()),
  subdirectory: v.optional(v.string()),
});
type Source = v.InferOutput<typeof sourceSchema>;

const packageSchema = v.object({
  name: v.string(),
  version: v.string(),
  groups: v.optional(v.array(v.string()), ["main"]),
  /** One for each group where they differ. */
  markers: v.optional(v.union([v.string(), v.record(v.string(), v.string())])),
  files: v.optional(v.array(v.object({ hash: v.string() })), []),
  source: v.optional(sourceSchema),
});
type LockedPackage = v.InferOutput<typeof packageSchema>;

const lockSchema = v.object({
  package: v.optional(v.array(packageSchema), []),
  extras: v.optional(v.record(v.string(), v.array(v.string())), {}),
  metadata: v.object({ "lock-version": v.string(), "content-hash": v.string() }),
});

type PoetryExport =
  | {
      readonly kind: "requirements";
      readonly text: string;
      /** Every line has hashes. */
      readonly hashed: boolean;
    }
  | { readonly kind: "refused"; readonly headline: string; readonly remedy: string };

interface PoetryProject {
  /** Absolute, of both files. */
  readonly folder: string;
  readonly lock: string;
  readonly pyproject: string;
  readonly extras: readonly string[];
  /** Beside `main`. */
  readonly groups: readonly string[];
}

/** @throws InputError for a file that is no TOML */
export function exportPoetryLock(project: PoetryProject): PoetryExport {
  const read = v.safeParse(lockSchema, parseToml("poetry.lock", project.lock));
  if (!read.success) {
    const at = v.getDotPath(read.issues[0]);
    return refused(
      `poetry.lock cannot be read${at === null ? "" : ` (${at})`}`,
      "run `poetry lock` and commit the lock",
    );
  }
  const { package: packages, extras, metadata } = read.output;
  if (!recordsGroups(metadata["lock-version"]))
    return refused(
      `poetry.lock has the format ${metadata["lock-version"]} of Poetry 1, which does not record the group of a package`,
      "run `poetry lock` with Poetry 2 and commit the lock",
    );
  const pyproject = parseToml("pyproject.toml", project.pyproject);
  if (!contentHashes(pyproject).includes(metadata["content-hash"]))
    return refused(
      "poetry.lock is stale: pyproject.toml asks for something else",
      "run `poetry lock` and commit the lock",
    );
  const unknown = unknownPart(project, Object.keys(extras), groupsOf(pyproject));
  if (unknown !== undefined) return unknown;
  const groups = ["main", ...project.groups.map(canonical)];
  const chosen = packages.filter((one) => one.groups.some((group) => groups.includes(canonical(group))));
  return {
    kind: "requirements",
    text: [...indexLines(chosen), ...chosen.map((one) => requirementLine(one, groups, project))]
      .map((line) => `${line}\n`)
      .join(""),
    hashed: chosen.every(isHashed),
  };
}

function refused(headline: string, remedy: string): PoetryExport {
  return { kind: "refused", headline, remedy };
}

function unknownPart(
  { extras, groups }: PoetryProject,
  knownExtras: readonly string[],
  knownGroups: readonly string[],
) {
  const missing = (asked: readonly string[], known: readonly string[]) =>
    asked.find((one) => !known.map(canonical).includes(canonical(one)));
  const extra = missing(extras, knownExtras);
  if (extra !== undefined) return refused(`poetry.lock has no extra ${extra}`, "correct `extras` of `install`");
  const group = missing(groups, knownGroups);
  if (group === undefined) return undefined;
  return refused(`pyproject.toml has no dependency group ${group}`, "correct `groups` of `install`");
}

function groupsOf(pyproject: Table): string[] {
  return [
    ...Object.keys(tableAt(pyproject, "tool", "poetry", "group")),
    ...Object.keys(tableAt(pyproject, "dependency-groups")),
  ];
}

/** The package indexes of the project's own, each once. */
function indexLines(packages: readonly LockedPackage[]): string[] {
  const urls = packages.flatMap(({ source }) => (source?.type === "legacy" ? [source.url] : []));
  return [...new Set(urls)].map((url) => `--extra-index-url ${url}`);
}

function requirementLine(one: LockedPackage, groups: readonly string[], project: PoetryProject): string {
  const marker = markerOf(one, groups);
  const condition = marker === undefined ? "" : ` ; ${withExtras(marker, project.extras)}`;
  const hashes = isHashed(one) ? one.files.map(({ hash }) => ` \\\n    --hash=${hash}`).join("") : "";
  return `${requirementOf(one, project.folder)}${condition}${hashes}`;
}

/** What is built from a folder or a repository has no hash. */
function isHashed({ source, files }: LockedPackage): boolean {
  return files.length > 0 && source?.type !== "git" && source?.type !== "directory";
}

function requirementOf({ name, version, source }: LockedPackage, folder: string): string {
  if (source === undefined || source.type === "legacy") return `${name}==${version}`;
  return `${name} @ ${addressOf(source, folder)}`;
}

function addressOf({ type, url, resolved_reference: commit, subdirectory }: Source, folder: string): string {
  const within = subdirectory === undefined ? "" : `#subdirectory=${subdirectory}`;
  switch (type) {
    case "git":
      return `git+${gitAddress(url)}${commit === undefined ? "" : `@${commit}`}${within}`;
    case "directory":
    case "file":
      return pathToFileURL(resolve(folder, url)).href;
    default:
      return `${url}${within}`;
  }
}

/** Undefined where the package is needed on every machine. */
function markerOf({ groups: own, markers }: LockedPackage, groups: readonly string[]): string | undefined {
  if (markers === undefined || typeof markers === "string") return markers;
  const needed = own.filter((group) => groups.includes(canonical(group))).map((group) => markers[group]);
  if (needed.some((marker) => marker === undefined)) return undefined;
  return needed.map((marker) => `(${marker})`).join(" or ");
}

/** A requirements file has no extras: their markers become a condition that always or never holds. */
function withExtras(marker: string, asked: readonly string[]): string {
  const wanted = asked.map(canonical);
  return marker.replace(/\bextra\s*(==|!=)\s*["']([^"']+)["']/g, (_, operator: string, name: string) => {
    const holds = wanted.includes(canonical(name)) === (operator === "==");
    return `python_version ${holds ? ">=" : "<"} "3"`;
  });
}

const PROJECT_KEYS = ["requires-python", "dependencies", "optional-dependencies"];
const POETRY_KEYS = ["dependencies", "source", "extras", "dev-dependencies"];

/**
 * What Poetry may have written as `content-hash`: SHA-256 over the parts of pyproject.toml that decide on the lock. Poetry 2.0
 * leaves `dependency-groups` out, later versions have it (python-poetry/poetry, Locker._get_content_hash).
 */
function contentHashes(pyproject: Table): string[] {
  const project = present(tableAt(pyproject, "project"), PROJECT_KEYS);
  const groups = tableAt(pyproject, "dependency-groups");
  return [{}, groups].map((counted) => {
    const standard = {
      ...(Object.keys(project).length > 0 && { project }),
      ...(Object.keys(counted).length > 0 && { "dependency-groups": counted }),
    };
    const isStandard = Object.keys(standard).length > 0;
    const poetry = poetryContent(tableAt(pyproject, "tool", "poetry"), isStandard);
    const content = isStandard ? { ...standard, tool: { poetry } } : poetry;
    return createHash("sha256").update(pythonJson(content)).digest("hex");
  });
}

function present(table: Table, keys: readonly string[]): Table {
  return Object.fromEntries(keys.flatMap((key) => (table[key] === undefined ? [] : [[key, table[key]]])));
}

/** Without [project], keys that are missing count as null. */
function poetryContent(table: Table, isStandard: boolean): Table {
  const missing = isStandard ? {} : Object.fromEntries(POETRY_KEYS.map((key) => [key, null]));
  return { ...missing, ...present(table, [...POETRY_KEYS, "group"]) };
}

/** As Python's `json.dumps(value, sort_keys=True)` writes it. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${ascii(JSON.stringify(key))}: ${pythonJson(item)}`).join(", ")}}`;
  }
  return ascii(JSON.stringify(value));
}

function ascii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What has to be installed for a project, and which of its files names that. */
import { recordsGroups } from "../plan/poetry-lock-format.js";
import { requiredPython } from "../plan/python-requirement.js";
import { distributionOf } from "../plan/requirements.js";
import type { Found } from "../plan/text-places.js";
import { isTable, parseToml, type Table, tableAt } from "../plan/toml.js";
import { declaredRequirements } from "./declared-requirements.js";
import { folderOf, joined, type ProjectFiles } from "./project.js";
import { type Requirement, readRequirements } from "./requirements-file.js";
import { unreadFiles, WORKSPACE_LOCK } from "./unread-files.js";

type LockFile = "uv.lock" | "pylock.toml" | "poetry.lock";

/** Files are relative to the project's folder. */
type DependencySource =
  /** `installable`: the project itself is a package. */
  | { readonly kind: "lock"; readonly file: string; readonly installable: boolean }
  | { readonly kind: "requirements"; readonly file: string }
  /** pyproject.toml or setup.py. */
  | { readonly kind: "project"; readonly file: string }
  | { readonly kind: "none" };

export interface Dependencies {
  readonly source: DependencySource;
  /** What is required directly. */
  readonly requirements: readonly Requirement[];
  /** What the user adds to that. */
  readonly added: readonly Requirement[];
  /** Versions that a lock names, by name. */
  readonly locked: ReadonlyMap<string, string>;
  readonly python: Found<string> | undefined;
  /** Sentences on files that name versions, and that are not used. */
  readonly unread: readonly string[];
}

/** In this order: the files that a deployment reads come first. */
const REQUIREMENTS = [
  "requirements.txt",
  "requirements/production.txt",
  "requirements/prod.txt",
  "requirements/base.txt",
  "requirements/requirements.txt",
  "requirements-prod.txt",
  "requirements.lock",
];

/**
 * Those that the project's own folder names; where it names none, those of the app's folder or of one between.
 * @param appFolder relative to the project's
 * @throws InputError for a TOML file that cannot be read
 */
export function findDependencies(files: ProjectFiles, appFolder = ""): Dependencies {
  const own = dependenciesOf(files);
  for (let folder = appFolder; folder !== "" && own.source.kind === "none"; folder = folderOf(folder)) {
    const inFolder = dependenciesOf(filesBelow(files, folder));
    if (inFolder.source.kind === "none") continue;
    const found = placed(inFolder, folder);
    const shared = files.has("uv.lock") && found.source.kind !== "lock";
    return shared ? { ...found, unread: [...found.unread, WORKSPACE_LOCK] } : found;
  }
  return own;
}

function filesBelow(files: ProjectFiles, folder: string): ProjectFiles {
  const below = [...files].filter(([file]) => file.startsWith(`${folder}/`));
  return new Map(below.map(([file, text]) => [file.slice(folder.length + 1), text]));
}

/** With the folder before the names of its files. */
function placed(dependencies: Dependencies, folder: string): Dependencies {
  const { source, requirements, python } = dependencies;
  return {
    ...dependencies,
    source: source.kind === "none" ? source : { ...source, file: joined(folder, source.file) },
    requirements: requirements.map((one) => ({ ...one, at: joined(folder, one.at) })),
    python: python && { ...python, at: joined(folder, python.at) },
  };
}

/** @throws InputError for a TOML file that cannot be read */
function dependenciesOf(files: ProjectFiles): Dependencies {
  const pyproject = tomlOf(files, "pyproject.toml");
  const declared = declaredRequirements(files, pyproject);
  const python = requiredPython(files.get("pyproject.toml") ?? "");
  const lock = LOCKS.find((file) => files.has(file) && isUsable(file, files, declared));
  const unread = lock === undefined ? [...oldPoetryLock(files), ...unreadFiles(files)] : [];
  const common = { added: [], locked: lockedVersions(files), python, unread };
  if (lock !== undefined)
    return {
      ...common,
      source: { kind: "lock", file: lock, installable: isPackage(files, pyproject) },
      requirements: declared,
    };
  const file = REQUIREMENTS.find((name) => files.has(name));
  if (file !== undefined) {
    const requirements = readRequirements(files, file);
    if (requirements.length > 0) return { ...common, source: { kind: "requirements", file }, requirements };
  }
  return { ...common, source: projectSource(files, pyproject, declared), requirements: declared };
}

const LOCKS: readonly LockFile[] = ["uv.lock", "pylock.toml", "poetry.lock"];

function isUsable(lock: LockFile, files: ProjectFiles, declared: readonly Requirement[]): boolean {
  if (lock === "pylock.toml") return true;
  return declared.length > 0 && (lock === "uv.lock" || hasPoetryGroups(files));
}

function oldPoetryLock(files: ProjectFiles): string[] {
  if (!files.has("poetry.lock") || hasPoetryGroups(files)) return [];
  return [
    "poetry.lock was written by Poetry 1, which does not record groups, so its versions are not used. Run `poetry lock` with Poetry 2.",
  ];
}

/** Without them, nobody knows which packages belong to the app. */
function hasPoetryGroups(files: ProjectFiles): boolean {
  const version = tableAt(tomlOf(files, "poetry.lock"), "metadata")["lock-version"];
  return typeof version === "string" && recordsGroups(version);
}

/** Poetry's default files name how to build a package also where there is none; uv has a setting for it. */
function isPackage(files: ProjectFiles, pyproject: Table): boolean {
  if (!("build-system" in pyproject) || tableAt(pyproject, "tool", "uv").package === false) return false;
  const backend = tableAt(pyproject, "build-system")["build-backend"];
  const isPoetry = typeof backend === "string" ? backend.startsWith("poetry") : "poetry" in tableAt(pyproject, "tool");
  return !isPoetry || isPoetryPackage(files, pyproject);
}

function isPoetryPackage(files: ProjectFiles, pyproject: Table): boolean {
  const poetry = tableAt(pyproject, "tool", "poetry");
  if (poetry["package-mode"] === false) return false;
  const name = tableAt(pyproject, "project").name ?? poetry.name;
  const module = String(name).toLowerCase().replace(/[-.]+/g, "_");
  const usual = [module, `src/${module}`].flatMap((path) => [`${path}.py`, `${path}/__init__.py`]);
  return "packages" in poetry || usual.some((file) => files.has(file));
}

function projectSource(files: ProjectFiles, pyproject: Table, declared: readonly Requirement[]): DependencySource {
  const file = "pyproject.toml";
  if (isPackage(files, pyproject)) return { kind: "project", file };
  // Without a way to build it, the project is a folder with a list of requirements.
  if ("project" in pyproject || declared.some(({ at }) => at.startsWith(`${file}:`)))
    return { kind: "requirements", file };
  return files.has("setup.py") ? { kind: "project", file: "setup.py" } : { kind: "none" };
}

function tomlOf(files: ProjectFiles, file: string): Table {
  const text = files.get(file);
  return text === undefined ? {} : parseToml(file, text);
}

/** uv, Poetry and PEP 751 each have a list of packages with name and version. */
function lockedVersions(files: ProjectFiles): Map<string, string> {
  const versions = new Map<string, string>();
  for (const file of ["poetry.lock", "pylock.toml", "uv.lock"]) {
    const { package: single, packages } = tomlOf(files, file);
    for (const entry of [single, packages].flatMap((list) => (Array.isArray(list) ? list : [])))
      if (isTable(entry) && typeof entry.name === "string" && typeof entry.version === "string")
        versions.set(distributionOf(entry.name), entry.version);
  }
  return versions;
}

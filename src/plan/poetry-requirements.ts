/** `[tool.poetry.dependencies]`, which only Poetry reads -> requirements as pip writes them. */
import { acceptsPython } from "./python-requirement.js";
import { isTable, type Table, tableAt, textsIn } from "./toml.js";

interface PoetryRequirement {
  /** As pyproject.toml spells it. */
  readonly name: string;
  readonly text: string;
}

interface ReadOptions {
  /** Leaves out what another Python needs; absent: nothing is left out. */
  readonly python?: string;
  /** URL of the project's folder, for dependencies by path. */
  readonly folder?: URL;
}

export function poetryRequirements(pyproject: Table, options: ReadOptions = {}): PoetryRequirement[] {
  const entries = Object.entries(tableAt(pyproject, "tool", "poetry", "dependencies"));
  return entries.flatMap(([name, value]) => {
    if (name.toLowerCase() === "python") return [];
    // One distribution may have several entries, for different Pythons.
    return [value].flat().flatMap((one: unknown) => {
      const text = requirementOf(name, isTable(one) ? one : { version: one }, options);
      return text === undefined ? [] : [{ name, text }];
    });
  });
}

function requirementOf(name: string, entry: Table, { python, folder }: ReadOptions): string | undefined {
  // An optional one belongs to an extra.
  if (entry.optional === true) return undefined;
  if (python !== undefined && typeof entry.python === "string" && !acceptsPython(entry.python, python))
    return undefined;
  const extras = textsIn(entry.extras);
  const named = extras.length === 0 ? name : `${name}[${extras.join(",")}]`;
  const address = addressOf(entry, folder);
  const whole = address === undefined ? `${named}${versionOf(entry.version)}` : `${named} @ ${address}`;
  return typeof entry.markers === "string" ? `${whole} ; ${entry.markers}` : whole;
}

function addressOf({ git, url, path, rev, tag, branch }: Table, folder: URL | undefined): string | undefined {
  if (typeof url === "string") return url;
  if (typeof path === "string") return folder && new URL(path, folder).href;
  if (typeof git !== "string") return undefined;
  const commit = [rev, tag, branch].find((one) => typeof one === "string");
  return `git+${gitAddress(git)}${commit === undefined ? "" : `@${commit}`}`;
}

/** `git@github.com:org/x.git` -> `ssh://git@github.com/org/x.git`: pip and uv take URLs alone. */
export function gitAddress(url: string): string {
  const [, host, path] = /^([\w.-]+@[\w.-]+):(?!\/\/)\/?(.+)$/.exec(url) ?? [];
  return host === undefined ? url : `ssh://${host}/${path}`;
}

/** A choice such as `^1 || ^2` cannot be written for pip: then any version. */
function versionOf(version: unknown): string {
  if (typeof version !== "string" || version.includes("|")) return "";
  return version
    .split(",")
    .map((clause) => clauseOf(clause.replaceAll(/\s/g, "")))
    .filter((clause) => clause !== "")
    .join(",");
}

/** `^1.2` means `>=1.2,<2`, `^0.2` means `>=0.2,<0.3`, and `~1.2` means `>=1.2,<1.3`. Other forms are those of pip. */
function clauseOf(clause: string): string {
  if (clause === "*") return "";
  const [, operator, numbers = ""] = /^([\^~])(\d+(?:\.\d+)*)$/.exec(clause) ?? [];
  if (operator === "^") return `>=${numbers},<${afterCaret(numbers)}`;
  if (operator === "~") return `>=${numbers},<${nextAt(numbers, Math.min(1, numbers.split(".").length - 1))}`;
  if (/^[\^~](?!=)/.test(clause)) return `>=${clause.slice(1)}`;
  return /^\d/.test(clause) ? `==${clause}` : clause;
}

/** The first number that is not 0 counts: `1.2` -> `2`, `0.2.3` -> `0.3`. */
function afterCaret(version: string): string {
  const numbers = version.split(".");
  const first = numbers.findIndex((number) => Number(number) > 0);
  return nextAt(version, first < 0 ? numbers.length - 1 : first);
}

function nextAt(version: string, index: number): string {
  const numbers = version.split(".").map(Number);
  return [...numbers.slice(0, index), (numbers[index] ?? 0) + 1].join(".");
}

/** What a project says of the Python that it runs under: `requires-python`, and Poetry's spellings of it. */
import { type Found, linesOf } from "./text-places.js";
import { parseToml, placeOfText, tableAt } from "./toml.js";

const FILE = "pyproject.toml";

/**
 * `requires-python` of the standard, or what Poetry has for it.
 * @param text of pyproject.toml
 * @throws InputError where that is no TOML
 */
export function requiredPython(text: string): Found<string> | undefined {
  const pyproject = parseToml(FILE, text);
  const standard = tableAt(pyproject, "project")["requires-python"];
  if (typeof standard === "string") return { value: standard, at: placeOfText(FILE, text, "requires-python") };
  const poetry = tableAt(pyproject, "tool", "poetry", "dependencies").python;
  if (typeof poetry !== "string") return undefined;
  const line = linesOf(FILE, text).find(({ value }) => /^python\s*=/.test(value));
  return { value: poetry, at: line?.at ?? `${FILE}:1` };
}

/**
 * Whether a version fits, such as 3.11.7 to `>=3.10,<4`. A clause that is not understood rejects nothing: the installer reads it
 * again.
 */
export function acceptsPython(requirement: string, version: string): boolean {
  const own = numbers(version);
  return requirement.split("||").some((all) => clausesOf(all).every((clause) => fits(clause, own)));
}

interface Clause {
  readonly operator: string;
  readonly than: readonly number[];
  /** `3.11.*` */
  readonly wildcard: boolean;
}

/** Clauses have commas or blanks between them. */
function clausesOf(text: string): Clause[] {
  const found = text.replaceAll(/\s+/g, " ").matchAll(/(===|~=|==|!=|>=|<=|>|<|\^|~|=)? ?v?(\d+(?:\.\d+)*)(\.\*)?/g);
  return [...found].map(([, operator = "==", than = "", star]) => ({
    operator,
    than: numbers(than),
    wildcard: star !== undefined,
  }));
}

function numbers(version: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}

function fits({ operator, than, wildcard }: Clause, own: readonly number[]): boolean {
  const order = compared(own, than);
  switch (operator) {
    case ">=":
      return order >= 0;
    case ">":
      return order > 0;
    case "<=":
      return order <= 0;
    case "<":
      return order < 0;
    case "!=":
      return !(wildcard ? startsWith(own, than) : order === 0);
    case "~=":
      return order >= 0 && startsWith(own, than.slice(0, -1));
    case "^":
      return order >= 0 && startsWith(own, than.slice(0, 1));
    case "~":
      return order >= 0 && startsWith(own, than.slice(0, 2));
    case "===":
      return order === 0;
    default:
      return wildcard ? startsWith(own, than) : order === 0;
  }
}

/** Missing numbers are 0. */
function compared(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function startsWith(version: readonly number[], start: readonly number[]): boolean {
  return start.every((number, i) => (version[i] ?? 0) === number);
}

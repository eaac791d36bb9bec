/** The arguments of a command: those options of `run` that a comment may give. */
import { parseArguments } from "../../commands/options.js";
import { InputError } from "../../errors.js";
import { COMMANDS } from "../../options/commands.js";
import type { Option } from "../../options/options.js";
import { didYouMean } from "../../plan/nearest.js";

/**
 * Options of `run` that choose what is measured and how long. None of them names a file, a package or a program. Each is an input
 * of the action with the same name.
 */
const ALLOWED: readonly string[] = ["profile", "budget", "detect", "latency", "metrics"];

const OPTIONS: Readonly<Record<string, Option>> = COMMANDS.run.options;

export interface AskedArguments {
  readonly selectors: readonly string[];
  /** By the name of the input: `budget` -> `10`. */
  readonly inputs: ReadonlyMap<string, string>;
}

export function allowedOptions(): readonly string[] {
  return ALLOWED.filter((name) => Object.hasOwn(OPTIONS, name));
}

/** @throws InputError for an option that is unknown or not allowed, or has no value */
export function parseAsked(words: readonly string[]): AskedArguments {
  for (const word of words) if (word.startsWith("-")) checkOption(word);
  const parsed = parseArguments(["run", ...words]);
  if (!("positionals" in parsed)) throw new InputError("a command gives selectors and options of run only");
  const values = [...parsed.values].map(([name, all]): [string, string] => [name, all.join(",")]);
  const flags = [...parsed.flags].map((name): [string, string] => [name, "true"]);
  return { selectors: parsed.positionals, inputs: new Map([...values, ...flags]) };
}

function checkOption(word: string): void {
  const [option = ""] = word.split("=");
  const allowed = allowedOptions().map((name) => `--${name}`);
  if (allowed.includes(option)) return;
  const known = Object.hasOwn(OPTIONS, option.slice("--".length));
  const problem = known ? `${option} is not for commands` : `unknown option ${option}${didYouMean(option, allowed)}`;
  throw new InputError(`${problem}${problem.endsWith("?") ? "" : ";"} options: ${allowed.join(", ")}`);
}

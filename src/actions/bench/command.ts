/** Reads what the words of a command ask for. */
import { InputError } from "../../errors.js";
import { allowedOptions, parseAsked } from "./arguments.js";

export type BenchCommand =
  | { readonly kind: "help" }
  | { readonly kind: "cancel" }
  | {
      readonly kind: "measure";
      /** As it was typed, in lower case: 7 to 40 digits. */
      readonly commit: string | undefined;
      /** Of `run`, checked. */
      readonly arguments: readonly string[];
    };

export const SUBCOMMANDS: readonly string[] = ["confirm", "cancel", "help"];

const COMMIT = /^[0-9a-f]{7,40}$/i;
/** Four letters and digits that are no scenario set's name. */
const SHORT_COMMIT = /^(?=.*[0-9])[0-9a-f]{4,6}$/i;
const LONG_COMMIT = /^[0-9a-f]{41,}$/i;
/** The smallest change that a run can look for: a confirmation may take the minutes. */
const CONFIRM: readonly string[] = ["--detect", "1"];

/** @throws InputError naming the word that is wrong */
export function parseCommand(words: readonly string[]): BenchCommand {
  const [first, ...rest] = words;
  if (first === "help" || first === "cancel") {
    if (rest.length > 0) throw new InputError(`/bench ${first} takes no further words`);
    return { kind: first };
  }
  if (first === "confirm") return confirmation(rest);
  const { commit, others } = splitCommit(words);
  parseAsked(others);
  return { kind: "measure", commit, arguments: others };
}

function confirmation(words: readonly string[]): BenchCommand {
  const { commit, others } = splitCommit(words);
  const { selectors, inputs } = parseAsked(others);
  const [row] = selectors;
  if (row === undefined || selectors.length > 1 || !/^[^*,]+\/[^*,]+$/.test(row))
    throw new InputError("/bench confirm takes one benchmark, such as interfaces/asgi-bytes");
  return { kind: "measure", commit, arguments: inputs.has("detect") ? others : [...others, ...CONFIRM] };
}

function splitCommit(words: readonly string[]): {
  readonly commit: string | undefined;
  readonly others: readonly string[];
} {
  const [first = "", ...others] = words;
  if (SHORT_COMMIT.test(first)) throw new InputError(`${first} is too short for a commit: give at least 7 digits`);
  if (LONG_COMMIT.test(first)) throw new InputError("a commit has 40 digits at most");
  return COMMIT.test(first) ? { commit: first.toLowerCase(), others } : { commit: undefined, others: words };
}

export function helpLines(): readonly string[] {
  const options = allowedOptions().map((name) => `--${name}`);
  return [
    "/bench [COMMIT] [SELECTOR...] [OPTIONS]      measure, and compare with the base",
    "/bench confirm [COMMIT] BENCHMARK [OPTIONS]  measure one benchmark again, for changes of 1 %",
    "/bench cancel                                end what was requested in this pull request",
    `options: ${options.join(", ")}`,
    "COMMIT is needed for forks: at least 7 digits of the head that you have read.",
  ];
}

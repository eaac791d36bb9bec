/** Reads the words of a command from a comment. They reach no shell, and no refusal quotes the comment. */
import { InputError } from "../../errors.js";

const COMMAND = /^\/bench(?: |$)/;
/** The longest useful command has about 150 characters. */
const MAX_LENGTH = 300;
/** What selectors, options, numbers and commits are written with: no quotes, blanks, backticks, `$`, `@`, `#` or brackets. */
const WORD = /^[A-Za-z0-9.,*/_=-]+$/;
/** Matching a pattern with many stars takes long. */
const MAX_STARS = 3;

/**
 * The words after `/bench` in the first line; undefined if the comment is no command.
 * @throws InputError for a command that cannot be one
 */
export function commandWords(body: string): readonly string[] | undefined {
  const [first = "", ...others] = linesOf(body);
  if (!COMMAND.test(first)) return undefined;
  if (first.length > MAX_LENGTH) throw new InputError(`a command has at most ${MAX_LENGTH} characters`);
  if (others.some((line) => COMMAND.test(line.trim()))) throw oneCommand();
  const [, ...words] = first.split(" ").filter((word) => word !== "");
  for (const word of words) checkWord(word);
  return words;
}

export function isCommand(body: string): boolean {
  return COMMAND.test(linesOf(body)[0] ?? "");
}

function linesOf(body: string): readonly string[] {
  return body.split(/\r\n|\n|\r/);
}

function checkWord(word: string): void {
  if (word === "/bench") throw oneCommand();
  if (!WORD.test(word))
    throw new InputError(
      "the command has a character that no command has: use letters, digits, blanks and . , * / _ = - only",
    );
  if (word.split("*").length - 1 > MAX_STARS) throw new InputError(`a selector has at most ${MAX_STARS} stars`);
}

function oneCommand(): InputError {
  return new InputError("a comment has more than one command: write one comment for each");
}

/** A command as a reader can paste it into a shell. */
import { plainText } from "./escape.js";

/** argv as a line that a shell splits into the same words. */
export function shellLine(argv: readonly string[]): string {
  return argv.map((word) => shellWord(plainText(word))).join(" ");
}

function shellWord(word: string): string {
  // A placeholder such as {port} stays readable; other braces could expand. So does HEAD~1; at the start ~ is a home folder.
  return /^(?!~)(?:[\w@%+,./~-]|[=:](?!~)|\{\w+\})+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

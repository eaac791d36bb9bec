/** A shell command in words. */

/** `$(nproc)`, `$((2 * $(nproc)))` */
const SUBSTITUTION = String.raw`\$\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`;
const BACKQUOTED = "`[^`]*`";
const REDIRECTION = "[0-9]?>&[0-9-]";
/** Parts of one word: `--bind="0.0.0.0:80"` has two. */
const PARTS = String.raw`'[^']*'|"(?:[^"\\]|\\[^])*"|${SUBSTITUTION}|${BACKQUOTED}|${REDIRECTION}|\\[^]|[^\s'";|&\\]`;
const TOKEN = new RegExp(String.raw`(?<=^|\s)#[^\n]*|\\\r?\n|&&|\|\||[;|&\n]|(?:${PARTS})+`, "g");
const PART = new RegExp(PARTS, "g");

/**
 * Splits at blanks, outside of quotes. Variables stay as they are written: `$PORT` is one word. Comments are left out.
 * @returns one list for each command: they end at `&&`, `||`, `;`, `|`, `&` and at the end of a line
 */
export function shellCommands(text: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.startsWith("#") || /^\\\r?\n$/.test(token)) continue;
    if (/^(&&|\|\||[;|&\n])$/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replaceAll(PART, unquoted));
  }
  return commands.filter((words) => words.length > 0);
}

function unquoted(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (part.startsWith('"'))
    return part.slice(1, -1).replaceAll(/\\(["\\$`\n])/g, (_, escaped) => (escaped === "\n" ? "" : escaped));
  return part.startsWith("\\") ? part.slice(1) : part;
}

const SHELL = /^(?:(?:ba|da|z|a|k)?sh|su|runuser)$/;

/** The command line that a shell is given: `["sh", "-c", "gunicorn shop:app"]` -> `gunicorn shop:app`. */
export function nestedCommand(words: readonly string[]): string | undefined {
  const shell = words.findIndex((word) => SHELL.test(programOf(word)));
  if (shell < 0) return undefined;
  const option = words.findIndex((word, index) => index > shell && /^-[a-z]*c$/.test(word));
  return option < 0 ? undefined : words[option + 1];
}

/** `/usr/bin/gunicorn` -> `gunicorn` */
export function programOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** The recorded argv of a run, taken apart so that it can be repeated for other rows and another base. */

export interface RunArguments {
  readonly selectors: readonly string[];
  /** Each with its value, if it takes one: `["--base", "main"]`. */
  readonly options: readonly (readonly [string, string?])[];
}

/** Undefined where argv is no `run` command. @param argv `server-bench run interfaces --base main`, or with `node PATH` before it */
export function runArguments(argv: readonly string[]): RunArguments | undefined {
  const at = argv[0] === "node" ? 2 : 1;
  if (argv[at] !== "run") return undefined;
  const words = argv.slice(at + 1);
  const first = words.findIndex((word) => word.startsWith("--"));
  const selectors = first < 0 ? words : words.slice(0, first);
  const options: [string, string?][] = [];
  for (const word of first < 0 ? [] : words.slice(first)) {
    const last = options.at(-1);
    if (word.startsWith("--") || last === undefined) options.push([word]);
    else last[1] = word;
  }
  return { selectors, options };
}

/** The words after the program's name. */
export function argumentsOf(argv: readonly string[]): readonly string[] {
  return argv.slice(argv[0] === "node" ? 2 : 1);
}

export function wordsOf({ selectors, options }: RunArguments): string[] {
  return ["run", ...selectors, ...options.flatMap(([name, value]) => (value === undefined ? [name] : [name, value]))];
}

/** argv -> a command and its options. Pure: every message can be tested. */
import { parseArgs } from "node:util";
import { InputError } from "../errors.js";
import { COMMANDS, type CommandName, type CommandSpec } from "../options/commands.js";
import type { Option } from "../options/options.js";
import { didYouMean } from "../plan/nearest.js";

export interface ParsedCommand {
  readonly name: CommandName;
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

export type Invocation =
  | ParsedCommand
  | { readonly name: "help"; readonly of?: CommandName }
  | { readonly name: "version" };

/** @throws InputError for an unknown command or option, or a missing value. */
export function parseArguments(argv: readonly string[]): Invocation {
  const [name, ...rest] = argv;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") return { name: "help" };
  if (name === "--version" || name === "-V") return { name: "version" };
  const names = Object.keys(COMMANDS) as CommandName[];
  const command = names.find((known) => known === name);
  if (!command)
    throw new InputError(`unknown command "${name}"${didYouMean(name, names) || ";"} commands: ${names.join(", ")}`);
  if (rest.includes("--help") || rest.includes("-h")) return { name: "help", of: command };
  return parseCommand(command, rest);
}

function parseCommand(name: CommandName, args: readonly string[]): ParsedCommand {
  const spec: CommandSpec = COMMANDS[name];
  const known = Object.fromEntries(
    Object.entries(spec.options).flatMap(([option, { type, aliases = [] }]) =>
      [option, ...aliases].map((each) => [each, { type, multiple: true }]),
    ),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Set<string>();
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const [optionName, option] = optionNamed(spec, token.name);
    if (!option) throw new InputError(unknownOption(name, token.rawName, Object.keys(spec.options)));
    if (option.type === "boolean") {
      if (token.value !== undefined) throw new InputError(`${token.rawName} takes no value (got "${token.value}")`);
      flags.add(optionName);
      continue;
    }
    const missing =
      token.value === undefined || token.value === "" || (!token.inlineValue && token.value.startsWith("-"));
    if (missing || token.value === undefined)
      throw new InputError(`${token.rawName} needs a value: ${token.rawName} ${option.value}`);
    const earlier = values.get(optionName) ?? [];
    if (earlier.length > 0 && !option.multiple) throw new InputError(`${token.rawName} is given twice`);
    values.set(optionName, [...earlier, token.value]);
  }
  return { name, positionals, flags, values };
}

function optionNamed({ options }: CommandSpec, name: string): readonly [string, Option | undefined] {
  const found = Object.entries(options).find(([known, { aliases = [] }]) => known === name || aliases.includes(name));
  return found ?? [name, undefined];
}

function unknownOption(command: CommandName, option: string, known: readonly string[]): string {
  const names = known.map((name) => `--${name}`);
  return `unknown option ${option} for "${command}"${didYouMean(option, names) || ";"} options: ${names.join(", ")}`;
}

export function textOf(parsed: ParsedCommand, option: string): string | undefined {
  return parsed.values.get(option)?.[0];
}

/** All values of an option that may be given several times, as one list with commas. */
export function joinedOf(parsed: ParsedCommand, option: string): string | undefined {
  return parsed.values.get(option)?.join(",");
}

/** They do not change what is measured. A memory limit does: a server beyond it fails. */
const LOCAL_OPTIONS: readonly string[] = ["out", "wait"];

/** The command as a reader would repeat it, without the folder of the output and the time that it may wait. @param cli path of dist/cli.js */
export function repeatOf(parsed: ParsedCommand, cli: string): string[] {
  const values = [...parsed.values].filter(([name]) => !LOCAL_OPTIONS.includes(name));
  return [
    ...["node", cli],
    parsed.name,
    ...parsed.positionals,
    ...values.flatMap(([name, all]) => all.flatMap((value) => [`--${name}`, value])),
    ...[...parsed.flags].filter((name) => name !== "json").map((name) => `--${name}`),
  ];
}

/** The help: of all commands, or of one. A line has at most 80 columns. */
import { groupBy } from "../group-by.js";
import { COMMANDS, type CommandName, type CommandSpec } from "../options/commands.js";
import { OPTION_GROUPS, type Option } from "../options/options.js";

const PROGRAM = "node dist/cli.js";
const PAGE = "docs/command-line.md";

type Line = readonly [string, string];

export function helpText(of?: CommandName): string {
  return (of === undefined ? overview() : commandHelp(of)).join("\n");
}

function overview(): string[] {
  return [
    "Benchmarks Python web servers, and compares a change with its base.",
    "",
    `Usage: ${PROGRAM} COMMAND [OPTIONS]`,
    "",
    "Commands:",
    ...columns(Object.entries(COMMANDS).map(([name, { help }]) => [`  ${name}`, plain(help)])),
    "",
    "SELECTOR names what to measure: a set (interfaces), a benchmark",
    '(interfaces/rsgi-bytes) or a glob ("vs-*"). "list" shows them all.',
    "",
    "Exit codes:",
    ...columns([
      ["  0", "Done"],
      ["  1", "--fail-on found what it names, or a release was not written"],
      ["  2", "Wrong input: nothing was measured"],
      ["  3", "Nothing could be measured"],
      ["  4", "Another run measures on this machine"],
      ["  130, 143", "Interrupted"],
    ]),
    "",
    `Options of a command: ${PROGRAM} COMMAND --help`,
    `Version: ${PROGRAM} --version`,
    `More, with examples: ${PAGE}`,
  ];
}

function commandHelp(name: CommandName): string[] {
  const { usage, help, details, options }: CommandSpec = COMMANDS[name];
  const groups = groupBy(Object.entries(options), ([, { group }]) => group);
  const shown = OPTION_GROUPS.map((title) => ({ title, lines: (groups.get(title) ?? []).map(optionLine) }));
  shown.at(-1)?.lines.push(["  -h, --help", "Print this help"]);
  const aligned = columns(shown.flatMap(({ lines }) => lines));
  return [
    `${plain(help)}.`,
    ...(details === undefined ? [] : [plain(details)]),
    "",
    `Usage: ${[PROGRAM, name, usage, "[OPTIONS]"].filter((word) => word !== "").join(" ")}`,
    ...shown
      .filter(({ lines }) => lines.length > 0)
      .flatMap(({ title, lines }) => ["", `${title}:`, ...aligned.splice(0, lines.length)]),
    "",
    `More, with examples: ${PAGE}#${name}`,
  ];
}

/** `  --server NAME=SPEC...`, and what it does */
function optionLine([name, { value, multiple, help }]: readonly [string, Option]): Line {
  const given = `${value === undefined ? "" : ` ${value}`}${multiple ? "..." : ""}`;
  return [`  --${name}${given}`, plain(help)];
}

/** Without the backticks of Markdown. */
function plain(text: string): string {
  return text.replaceAll("`", "");
}

function columns(lines: readonly Line[]): string[] {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

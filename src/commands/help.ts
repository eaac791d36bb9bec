/** The help text. */
import { COMMANDS, type CommandName, type CommandSpec } from "./command-specs.js";

/** The help text: of everything, or of one command. */
export function helpText(of?: CommandName): string {
  const names = of === undefined ? (Object.keys(COMMANDS) as CommandName[]) : [of];
  const lines = ["Benchmarks of Python web servers, with tables and verdicts.", "", "Usage: server-bench COMMAND"];
  for (const name of names) {
    const spec: CommandSpec = COMMANDS[name];
    lines.push("", `  ${spec.usage}`, `      ${spec.help}`);
    for (const [option, { value, help }] of Object.entries(spec.options)) {
      lines.push(`      ${`--${option}${value === undefined ? "" : ` ${value}`}`.padEnd(22)}  ${help}`);
    }
  }
  lines.push(
    "",
    '  SELECTOR: a set (interfaces), a row (interfaces/rsgi-bytes), or a glob ("vs-*"); "list" shows them all. Default of run, plan and release: your own sets, else rows of the server that is installed otherwise, else interfaces; of list and setup: all sets.',
    "  Exit codes: 0 done; 1 as --fail-on asks; 2 wrong input, nothing was measured; 3 nothing could be measured; 4 another run measures on this machine; 130 or 143 interrupted.",
  );
  return lines.join("\n");
}

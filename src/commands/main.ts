/** Arguments -> the command's exit code. Commands load lazily: most invocations need one of them. */
import { InputError, Interrupted, SetupError } from "../errors.js";
import { helpText, type ParsedCommand, parseArguments } from "./options.js";
import type { Host } from "./process-context.js";

const EXIT = { done: 0, input: 2, nothing: 3 } as const;

export async function main(argv: readonly string[], host: Host): Promise<number> {
  try {
    const invocation = parseArguments(argv);
    if (invocation.name === "help") {
      host.stdout.write(`${helpText(invocation.of)}\n`);
      return argv.length === 0 ? EXIT.input : EXIT.done;
    }
    if (invocation.name === "version") {
      const { toolVersion } = await import("./version.js");
      host.stdout.write(`${await toolVersion(host.root)}\n`);
      return EXIT.done;
    }
    return await command(invocation, host);
  } catch (error) {
    return explainError(error, host);
  }
}

async function command(parsed: ParsedCommand, host: Host): Promise<number> {
  switch (parsed.name) {
    case "list":
      return (await import("./list.js")).list(parsed, host);
    case "setup":
      return (await import("./setup.js")).setup(parsed, host);
    case "run":
      return (await import("./run-command.js")).runCommand(parsed, host);
    case "compare":
      return (await import("./compare.js")).compare(parsed, host);
    case "report":
      return (await import("./report.js")).report(parsed, host);
    case "plan":
      return (await import("./plan.js")).plan(parsed, host);
  }
}

/** Prints what went wrong in the user's words; a defect keeps its stack. */
function explainError(error: unknown, host: Host): number {
  if (error instanceof InputError) {
    host.stderr.write(`server-bench: ${error.message}\n`);
    return EXIT.input;
  }
  if (error instanceof SetupError) {
    host.stderr.write(`server-bench: ${error.message}\n${error.log === "" ? "" : `${error.log.trimEnd()}\n`}`);
    return EXIT.nothing;
  }
  if (error instanceof Interrupted) {
    host.stderr.write(`server-bench: ${error.message}\n`);
    return error.exitCode;
  }
  host.stderr.write(
    `server-bench: this is a defect of server-bench, please report it.\n${(error as Error).stack ?? error}\n`,
  );
  return EXIT.nothing;
}

/** Arguments -> the command's exit code. Commands load lazily: most invocations need one of them. */

import { InputError, Interrupted, MachineBusy, SetupError } from "../errors.js";
import { machineFault } from "../messages/machine-fault.js";
import { helpText } from "./help.js";
import { type ParsedCommand, parseArguments } from "./options.js";
import type { ProcessContext } from "./process-context.js";

const EXIT = { done: 0, input: 2, nothing: 3, busy: 4 } as const;

export async function main(argv: readonly string[], context: ProcessContext): Promise<number> {
  try {
    const invocation = parseArguments(argv);
    if (invocation.name === "help") {
      context.stdout.write(`${helpText(invocation.of)}\n`);
      return argv.length === 0 ? EXIT.input : EXIT.done;
    }
    if (invocation.name === "version") {
      const { toolVersion } = await import("./version.js");
      context.stdout.write(`${await toolVersion(context.root)}\n`);
      return EXIT.done;
    }
    return await command(invocation, context);
  } catch (error) {
    return explainError(error, context);
  }
}

async function command(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  switch (parsed.name) {
    case "list":
      return (await import("./list.js")).list(parsed, context);
    case "setup":
      return (await import("./setup.js")).setup(parsed, context);
    case "run":
      return (await import("./run-command.js")).runCommand(parsed, context);
    case "compare":
      return (await import("./compare.js")).compare(parsed, context);
    case "report":
      return (await import("./report.js")).report(parsed, context);
    case "history":
      return (await import("./history.js")).history(parsed, context);
    case "plan":
      return (await import("./plan.js")).plan(parsed, context);
    case "release":
      return (await import("./release.js")).release(parsed, context);
    case "init":
      return (await import("./init.js")).init(parsed, context);
    case "doctor":
      return (await import("./doctor.js")).doctor(parsed, context);
  }
}

/** Prints what went wrong; a defect with its stack. */
function explainError(thrown: unknown, context: ProcessContext): number {
  const error = machineFault(thrown) ?? thrown;
  if (error instanceof InputError) {
    context.stderr.write(`server-bench: ${error.message}\n`);
    return EXIT.input;
  }
  if (error instanceof SetupError) {
    context.stderr.write(`server-bench: ${error.message}\n${error.log === "" ? "" : `${error.log.trimEnd()}\n`}`);
    return EXIT.nothing;
  }
  if (error instanceof MachineBusy) {
    context.stderr.write(`server-bench: ${error.message}\n`);
    return EXIT.busy;
  }
  if (error instanceof Interrupted) {
    context.stderr.write(`server-bench: ${error.message}\n`);
    return error.exitCode;
  }
  context.stderr.write(
    `server-bench: this is a defect of server-bench, please report it.\n${(error as Error).stack ?? error}\n`,
  );
  return EXIT.nothing;
}

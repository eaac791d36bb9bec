/** `run` on the command line. */
import { InputError } from "../errors.js";
import { COMMAND_LINE } from "../plan/option-names.js";
import { openDisplay } from "./display.js";
import { type ParsedCommand, repeatOf, withChosen } from "./options.js";
import { checkOutputFolder } from "./output-folder.js";
import { checkPlatform } from "./platform.js";
import { cliPath, type ProcessContext } from "./process-context.js";
import { planHead, planLatency, serversOf } from "./run/head-plan.js";
import { checkProfileRows, namesRowsWithoutBase } from "./run/profile-rows.js";
import { run } from "./run/run.js";
import { checkServers } from "./run/stored.js";
import { readAgainst, readRunOptions } from "./run-options.js";
import { summaryOf } from "./summary.js";

export async function runCommand(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  checkPlatform("run");
  const json = parsed.flags.has("json");
  const display = openDisplay(json ? context.stderr : context.stdout, context.env);
  const options = readRunOptions(parsed, context.cwd);
  const against = await readAgainst(parsed, context.cwd, options.failOn);
  await checkOutputFolder(options.out, "--out");
  if (namesRowsWithoutBase(options.profileRows, against))
    throw new InputError("--profile-rows has no meaning without a base: give --base REF or DIR");
  const planned = await planHead(options, COMMAND_LINE, context, display.setup);
  checkProfileRows(options.profileRows, planned.plan, "--profile-rows");
  if ("stored" in against) checkServers("--anchor", against.stored.anchors, serversOf(planned));
  const head = planLatency(planned, against, COMMAND_LINE);
  const { exitCode, written } = await run(
    {
      ...planned.run,
      against,
      head,
      notes: planned.notes,
      command: repeatOf(withChosen(parsed, planned.run, context.cwd), cliPath(context)),
    },
    context,
    display,
  );
  if (json && written) {
    const summary = summaryOf(written.results, written.resultsPath, written.reportPath);
    context.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
  }
  return exitCode;
}

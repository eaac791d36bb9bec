/** The evaluation's commands. */
import { measureCommits } from "./commits/commits.js";
import { evaluateInstructions } from "./instructions/evaluate.js";
import { live } from "./live/live.js";
import { commandOf } from "./options.js";
import { record } from "./record/record.js";
import { type WithWorker, writeReport } from "./write-report.js";

/** @throws InputError for a wrong command line; nothing was started */
export async function main(args: readonly string[], root: string, withWorker: WithWorker): Promise<void> {
  const command = commandOf(args, root, (line) => console.log(line));
  if (command.name === "record") return await record(command.options);
  if (command.name === "live") return await live(command.options);
  if (command.name === "commits") return await measureCommits(command.options);
  if (command.name === "instructions") return await evaluateInstructions(command.options);
  await writeReport(command.options, withWorker);
  console.log(`${command.options.out}.md`);
}

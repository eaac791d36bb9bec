/** The evaluation's commands. */
import { commandOf } from "./options.js";
import { record } from "./record/record.js";
import { type WithWorker, writeReport } from "./report/write-report.js";

/** @throws InputError for a wrong command line; nothing was started */
export async function main(args: readonly string[], root: string, withWorker: WithWorker): Promise<void> {
  const command = commandOf(args, root, (line) => console.log(line));
  if (command.name === "record") return await record(command.options);
  await writeReport(command.options, withWorker);
  console.log(`${command.options.out}.md`);
}

/** Ends a one-shot tool that does not end, with all that it started: a build leaves compilers and servers behind. */
import { environHas, listProcesses, withDescendants } from "../../process/proc.js";
import { endProcesses } from "../../process/sweep.js";

/** A variable with another value for each tool. Its children have it too, wherever they moved. */
export const TOOL_MARKER = "SERVER_BENCH_TOOL";

/** TERM, a bounded wait, KILL. Processes of other tools, runs and users stay. */
export async function endTool(marker: string): Promise<void> {
  await endProcesses(() => {
    const all = listProcesses();
    const marked = all.filter(({ pid }) => environHas(pid, `${TOOL_MARKER}=${marker}`));
    return withDescendants(all, marked);
  });
}

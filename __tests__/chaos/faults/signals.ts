/** A signal asks the tool to end, or kills it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../fault.js";
import { KINDS, processesOf, type Tool } from "../world.js";

function signal(tool: Tool, name: NodeJS.Signals): void {
  if (tool.child.exitCode === null && tool.child.signalCode === null) tool.child.kill(name);
}

/** As a runner cancels a job: seconds until the next, stronger one. */
const CANCEL: readonly (readonly [NodeJS.Signals, number])[] = [
  ["SIGINT", 7.5],
  ["SIGTERM", 2.5],
  ["SIGKILL", 0],
];

const SAYS = /interrupted|cancelled|^$/i;

export const SIGNAL_FAULTS: readonly Fault[] = [
  {
    name: "SIGINT",
    kinds: KINDS,
    codes: [0, 130, 1, null],
    says: SAYS,
    strike: (_, tool) => signal(tool, "SIGINT"),
  },
  {
    name: "SIGTERM",
    kinds: KINDS,
    codes: [0, 143, 1, null],
    says: SAYS,
    strike: (_, tool) => signal(tool, "SIGTERM"),
  },
  {
    name: "cancelled by the runner",
    kinds: ["run", "paired", "action"],
    // SIGKILL would be too late: everything has to be done by then.
    codes: [0, 130, 143, 1],
    says: SAYS,
    withinSec: 40,
    strike: async (_, tool) => {
      for (const [name, seconds] of CANCEL) {
        signal(tool, name);
        await Promise.race([tool.ended, sleep(seconds * 1000)]);
      }
    },
  },
  {
    name: "SIGKILL",
    kinds: KINDS,
    codes: [0, null],
    commentStays: true,
    strike: (_, tool) => signal(tool, "SIGKILL"),
  },
  {
    name: "SIGKILL of the tool and of all that it started",
    kinds: KINDS,
    codes: [0, null],
    leaves: "until-next-start",
    commentStays: true,
    strike: ({ root }, tool) => {
      signal(tool, "SIGKILL");
      for (const { pid, command } of processesOf(root)) {
        // Servers have to be ended by the next start, or by their supervisors.
        if (command.includes("granian")) continue;
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended.
        }
      }
    },
  },
];

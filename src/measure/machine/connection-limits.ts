/** Whether the machine can hold the connections of all rows. This is checked before the first row. */
import { SetupError } from "../../errors.js";
import type { PlannedRow } from "../../plan/types.js";
import type { MachineSettings } from "./settings.js";

/** Files of a process beside its connections: modules, logs, pipes, sockets that listen. */
const OTHER_FILES = 256;
/** The least that a server and a load generator have open besides. */
const FEWEST_OTHER_FILES = 24;
/** With fewer ports, new connections wait for the ports of those that were closed. */
const PORTS_FOR_NEW_CONNECTIONS = 16_000;

/** Files of a process that holds so many connections. */
export function filesOf(connections: number): number {
  return connections + OTHER_FILES;
}

type Limits = Pick<MachineSettings, "openFiles" | "ephemeralPorts">;

/** @throws SetupError that names the first row that does not fit, and the command that raises the limit */
export function checkConnectionLimits(rows: readonly PlannedRow[], inPairs: boolean, limits: Limits): void {
  for (const row of rows) {
    const problem = connectionProblem(row, inPairs, limits);
    if (problem !== undefined) throw new SetupError(`${row.id} ${problem}`);
  }
}

function connectionProblem(row: PlannedRow, inPairs: boolean, limits: Limits): string | undefined {
  const { idleConnections: idle = 0, closes } = row;
  const { openFiles = Number.MAX_SAFE_INTEGER, ephemeralPorts = Number.MAX_SAFE_INTEGER } = limits;
  // This process holds the idle connections of both sides; a server has its own and those of the load.
  const held = (inPairs ? 2 : 1) * idle + Math.max(...row.connections);
  const files = idle > 0 ? filesOf(held) : held + FEWEST_OTHER_FILES;
  if (files > openFiles)
    return `needs ${files} open files per process; the limit is ${openFiles}. Run \`ulimit -n ${roundUp(files)}\` first. If that is refused, run it as root, or raise LimitNOFILE= of the runner's service.`;
  if (row.socket) return undefined;
  const ports = idle + Math.max(...row.connections) + (closes ? PORTS_FOR_NEW_CONNECTIONS : 0);
  if (ports > ephemeralPorts)
    return `needs ${ports} ports for its connections; the range has ${ephemeralPorts}. Run \`sysctl -w net.ipv4.ip_local_port_range='10000 65000'\` first.`;
  return undefined;
}

function roundUp(files: number): number {
  return 2 ** Math.ceil(Math.log2(files));
}

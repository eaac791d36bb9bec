/** Where the processes of a server listen: for one that ignores the port that it was given. */
import { readdirSync, readlinkSync } from "node:fs";
import { type ProcessStat, readProc } from "../../process/proc.js";

/** In /proc/net/tcp (proc(5)): a socket that listens. */
const LISTEN = "0A";

/** Ports, the lowest first. Processes of other users cannot be looked into: their ports are missing. */
export function listeningPorts(processes: readonly ProcessStat[]): number[] {
  const inodes = new Set(processes.flatMap(({ pid }) => socketsOf(pid)));
  if (inodes.size === 0) return [];
  const ports = ["net/tcp", "net/tcp6"].flatMap((file) =>
    (readProc(file) ?? "").split("\n").flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      const [, local = "", , state] = fields;
      return state === LISTEN && inodes.has(fields[9] ?? "") ? [Number.parseInt(local.split(":")[1] ?? "", 16)] : [];
    }),
  );
  return [...new Set(ports)].sort((a, b) => a - b);
}

/** Inodes of a process's sockets. */
function socketsOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`)) ?? [];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    // It has ended.
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

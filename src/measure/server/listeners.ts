/** Where the processes of a server listen: for one that ignores the port or the address that it was given. */
import { readdirSync, readlinkSync } from "node:fs";
import { type ProcessStat, readProc } from "../../process/proc.js";

/** In /proc/net/tcp (proc(5)): a socket that listens. */
const LISTEN = "0A";

export interface Listener {
  readonly port: number;
  /** Where a connection to 127.0.0.1 does not reach it: its address. */
  readonly apart?: string;
}

/** The lowest port first. Processes of other users cannot be looked into: their sockets are missing. */
export function listenersOf(processes: readonly ProcessStat[]): Listener[] {
  const inodes = new Set(processes.flatMap(({ pid }) => socketsOf(pid)));
  if (inodes.size === 0) return [];
  const files = ["net/tcp", "net/tcp6"].map((file) => readProc(file) ?? "");
  return files.flatMap((text) => listenersIn(text, inodes)).sort((a, b) => a.port - b.port);
}

/** @param text of /proc/net/tcp or tcp6 */
export function listenersIn(text: string, inodes: ReadonlySet<string>): Listener[] {
  return text.split("\n").flatMap((line): Listener[] => {
    const fields = line.trim().split(/\s+/);
    const [, local = "", , state] = fields;
    if (state !== LISTEN || !inodes.has(fields[9] ?? "")) return [];
    const [address = "", port = ""] = local.split(":");
    const apart = LOCAL.test(address) ? {} : { apart: addressOf(address) };
    return [{ port: Number.parseInt(port, 16), ...apart }];
  });
}

/** All addresses, or 127.0.0.1, as IPv4, IPv6 and IPv4 in IPv6 (little endian). */
const LOCAL = /^(?:0{8}|0100007F|0{32}|0{16}FFFF0000(?:0{8}|0100007F))$/;

function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, "hex")].reverse());
  if (bytes.length === 4) return bytes.join(".");
  return bytes.every((byte, i) => byte === (i === 15 ? 1 : 0)) ? "[::1]" : "an IPv6 address";
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

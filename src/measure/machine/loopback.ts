/** The loopback device, which every answer of a local server crosses, unless it goes over a unix socket. */
import { readProc } from "../../process/proc.js";

/** Bytes that it received since boot; undefined where the kernel does not show them. */
export function readLoopbackBytes(): number | undefined {
  return parseLoopbackBytes(readProc("net/dev"));
}

/** @param dev text of /proc/net/dev */
export function parseLoopbackBytes(dev: string | undefined): number | undefined {
  const [, bytes] = /^\s*lo:\s*(\d+)/m.exec(dev ?? "") ?? [];
  return bytes === undefined ? undefined : Number(bytes);
}

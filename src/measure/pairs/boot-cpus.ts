/** Where the second server of a pair boots. Two boots on one CPU take twice as long, while the load generator's CPU waits. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CpuSplit } from "../machine/cpus.js";

/**
 * A CPU of the load generator, where servers have one CPU of their own; it is moved from there before its first load. Undefined: it
 * boots beside the first one. Where servers have several CPUs they hardly wait for each other, and one that pins its workers could not
 * be moved. In a machine with several memory nodes its memory would stay near the other CPU.
 * @param root of the file system; tests give their own
 */
export function bootCpus({ server, client, shared }: CpuSplit, root = "/"): readonly number[] | undefined {
  const [spare] = client;
  const severalNodes = existsSync(join(root, "sys/devices/system/node/node1"));
  return shared || server.length !== 1 || spare === undefined || severalNodes ? undefined : [spare];
}

/** Facts about the machine: figures are compared only where they are equal. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { release, totalmem } from "node:os";
import type { Tool } from "../../provision/types.js";
import type { Environment } from "../../results/schema.js";
import { type CpuSplit, formatCpuList, readGovernor } from "./cpus.js";

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The model in /proc/cpuinfo: x86 names it, ARM gives numbers. */
export function parseCpuModel(cpuinfo: string): string {
  const named = /^model name\s*:\s*(.+)$/m.exec(cpuinfo)?.[1] ?? /^(?:Hardware|Model)\s*:\s*(.+)$/m.exec(cpuinfo)?.[1];
  if (named !== undefined) return named.trim();
  const implementer = /^CPU implementer\s*:\s*(\S+)/m.exec(cpuinfo)?.[1];
  const part = /^CPU part\s*:\s*(\S+)/m.exec(cpuinfo)?.[1];
  return implementer === undefined ? "unknown" : `implementer ${implementer} part ${part ?? "unknown"}`;
}

/** PRETTY_NAME of /etc/os-release. */
export function parseOsName(osRelease: string): string {
  return /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(osRelease)?.[1] ?? "Linux";
}

/** What it runs on, such as `kvm`; undefined on bare metal. */
function virtualization(cpuinfo: string): string | undefined {
  const env = { PATH: process.env.PATH };
  const answer = spawnSync("systemd-detect-virt", ["--vm"], { encoding: "utf8", timeout: 5000, env });
  const name = answer.error === undefined ? answer.stdout.trim() : "";
  if (name !== "" && name !== "none") return name;
  if (!/^flags\s*:.*\bhypervisor\b/m.test(cpuinfo)) return undefined;
  return read("/sys/class/dmi/id/sys_vendor").trim() || "hypervisor";
}

/** Twelve hexadecimal digits; equal where figures may be compared. */
export function fingerprint(facts: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 12);
}

/**
 * @param python full version of the Python that runs the servers
 * @param generators the load generators in use, by name
 */
export async function readHost(
  python: string,
  generators: ReadonlyMap<string, Tool>,
  cpus: CpuSplit,
): Promise<Environment> {
  const cpuinfo = read("/proc/cpuinfo");
  const all = [...new Set([...cpus.server, ...cpus.client])];
  const governor = readGovernor(all);
  const virtual = virtualization(cpuinfo);
  const loadGenerators = Object.fromEntries([...generators].map(([name, tool]) => [name, tool.version]).sort());
  const compared = {
    cpuModel: parseCpuModel(cpuinfo),
    cpus: all.length,
    kernel: release(),
    python,
    loadGenerators,
    ...(governor === undefined ? {} : { governor }),
  };
  return {
    ...compared,
    os: parseOsName(read("/etc/os-release")),
    memoryMiB: Math.round(totalmem() / 1024 / 1024),
    ...(virtual === undefined ? {} : { virtualization: virtual }),
    serverCpus: formatCpuList(cpus.server),
    clientCpus: formatCpuList(cpus.client),
    fingerprint: fingerprint(compared),
  };
}

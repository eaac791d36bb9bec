/** What a container or a service may use: limits of the control groups (cgroup v1 and v2) that this process is in. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Absent: no limit. */
export interface CgroupLimits {
  /** CPUs' worth of time. */
  readonly cpus?: number;
  readonly memoryBytes?: number;
}

/** Where a kind of limit is, and the files that hold it. */
interface Hierarchy {
  /** Below the root of the file system. */
  readonly mount: string;
  /** Of this process, within the hierarchy. */
  readonly group: string;
  readonly version: 1 | 2;
}

const MOUNT = "sys/fs/cgroup";
/** cgroup v1 writes the largest multiple of a page for "none". */
const NO_LIMIT_BYTES = 2 ** 62;

/** @param root of the file system; tests give their own */
export function readCgroupLimits(root = "/"): CgroupLimits {
  const groups = parseGroups(read(root, "proc/self/cgroup") ?? "");
  const cpus = smallest(root, hierarchyOf(groups, "cpu"), cpusOf);
  const memoryBytes = smallest(root, hierarchyOf(groups, "memory"), memoryOf);
  return { ...(cpus !== undefined && { cpus }), ...(memoryBytes !== undefined && { memoryBytes }) };
}

/** proc(5): `0::/a/b` of v2, `4:cpu,cpuacct:/a/b` of v1; controllers -> group, "" of v2. */
function parseGroups(text: string): ReadonlyMap<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, controllers = "", group = ""] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (group !== "") for (const name of controllers.split(",")) groups.set(name, group);
  }
  return groups;
}

/** With both versions, a controller belongs to one of them: to v1 where that lists it. */
function hierarchyOf(groups: ReadonlyMap<string, string>, controller: string): Hierarchy {
  const group = groups.get(controller);
  if (group !== undefined) return { mount: join(MOUNT, controller), group, version: 1 };
  return { mount: MOUNT, group: groups.get("") ?? "/", version: 2 };
}

type Limit = (read: (file: string) => string | undefined, version: 1 | 2) => number | undefined;

/** Of the group and all above it. Within a container its own group is the root, whatever the path says. */
function smallest(root: string, { mount, group, version }: Hierarchy, limitOf: Limit): number | undefined {
  const limits: number[] = [];
  for (let path = group; ; path = dirname(path)) {
    const limit = limitOf((file) => read(root, join(mount, path, file)), version);
    if (limit !== undefined) limits.push(limit);
    if (path === "/" || path === ".") break;
  }
  return limits.length === 0 ? undefined : Math.min(...limits);
}

function cpusOf(file: (name: string) => string | undefined, version: 1 | 2): number | undefined {
  if (version === 2) return parseQuota(file("cpu.max") ?? "");
  return parseQuota(`${file("cpu.cfs_quota_us") ?? ""} ${file("cpu.cfs_period_us") ?? ""}`);
}

function memoryOf(file: (name: string) => string | undefined, version: 1 | 2): number | undefined {
  const bytes = Number.parseInt(file(version === 2 ? "memory.max" : "memory.limit_in_bytes") ?? "", 10);
  return bytes > 0 && bytes < NO_LIMIT_BYTES ? bytes : undefined;
}

/** CPUs' worth of time from a quota and a period, such as `150000 100000`; undefined: no limit. */
export function parseQuota(text: string): number | undefined {
  const [quota, period] = text.trim().split(/\s+/).map(Number);
  if (quota === undefined || period === undefined || !(quota > 0) || !(period > 0)) return undefined;
  return quota / period;
}

function read(root: string, path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readCgroupLimits } from "../../../src/measure/machine/cgroup.js";

const MIB = 1024 * 1024;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A machine that has these files. */
function limitsOf(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return readCgroupLimits(root);
}

describe("cgroup v2", () => {
  it("limits a container, whose group is the root", () => {
    const limits = limitsOf({
      "proc/self/cgroup": "0::/\n",
      "sys/fs/cgroup/cpu.max": "150000 100000\n",
      "sys/fs/cgroup/memory.max": `${512 * MIB}\n`,
    });
    expect(limits).toEqual({ cpus: 1.5, memoryBytes: 512 * MIB });
  });

  it("limits a service by its own group and by those above", () => {
    const limits = limitsOf({
      "proc/self/cgroup": "0::/system.slice/runner.service\n",
      "sys/fs/cgroup/system.slice/cpu.max": "100000 100000\n",
      "sys/fs/cgroup/system.slice/runner.service/cpu.max": "200000 100000\n",
      "sys/fs/cgroup/system.slice/runner.service/memory.max": "max\n",
      "sys/fs/cgroup/system.slice/memory.max": `${300 * MIB}\n`,
    });
    expect(limits).toEqual({ cpus: 1, memoryBytes: 300 * MIB });
  });

  it("limits a container that shows the path of its host", () => {
    const limits = limitsOf({
      "proc/self/cgroup": "0::/kubepods/pod1/c2\n",
      "sys/fs/cgroup/cpu.max": "50000 100000\n",
    });
    expect(limits).toEqual({ cpus: 0.5 });
  });
});

describe("cgroup v1", () => {
  const groups = "12:cpu,cpuacct:/docker/abc\n7:memory:/docker/abc\n1:name=systemd:/docker/abc\n0::/system.slice\n";

  it("has a folder for each controller", () => {
    const limits = limitsOf({
      "proc/self/cgroup": groups,
      "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "250000\n",
      "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": `${1024 * MIB}\n`,
    });
    expect(limits).toEqual({ cpus: 2.5, memoryBytes: 1024 * MIB });
  });

  it("has -1 and a huge number for no limit", () => {
    const limits = limitsOf({
      "proc/self/cgroup": groups,
      "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
      "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    });
    expect(limits).toEqual({});
  });
});

it("is not there on every machine", () => {
  expect(limitsOf({})).toEqual({});
  expect(limitsOf({ "proc/self/cgroup": "nonsense" })).toEqual({});
});

/** Settings of machines, as their files say it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { machineChecks } from "../../../src/commands/doctor/machine-checks.js";
import { readSettings } from "../../../src/measure/machine/settings.js";
import { writeFiles } from "../../support/repository.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const CPUS = [0, 1, 2, 3];
const SPLIT = { server: [1], client: [2, 3], shared: false, warnings: [] };
const CALM = { busyShare: 0.01, stealShare: 0, busiest: undefined };

const LAPTOP = {
  "sys/devices/system/cpu/isolated": "\n",
  "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
  "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
  "sys/devices/system/cpu/intel_pstate/no_turbo": "0\n",
  "sys/devices/system/cpu/smt/active": "1\n",
  "sys/fs/cgroup/cpu.max": "150000 100000\n",
  "sys/fs/cgroup/memory.max": "1073741824\n",
  ".dockerenv": "",
  "proc/cpuinfo": "flags\t\t: fpu hypervisor lm\n",
  "proc/self/limits":
    "Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 524288               files\n",
  "proc/sys/net/ipv4/ip_local_port_range": "60000\t60999\n",
  "proc/sys/kernel/perf_event_paranoid": "4\n",
  "proc/sys/kernel/yama/ptrace_scope": "2\n",
  "proc/meminfo": "MemTotal:       16384000 kB\n",
};

const BENCH = {
  "sys/devices/system/cpu/isolated": "1\n",
  ...Object.fromEntries(
    CPUS.map((cpu) => [`sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_governor`, "performance\n"]),
  ),
  "sys/devices/system/cpu/cpufreq/boost": "0\n",
  "sys/devices/system/cpu/smt/active": "0\n",
  "sys/fs/cgroup/cpu.max": "max 100000\n",
  "sys/fs/cgroup/memory.max": "max\n",
  "proc/self/limits": "Max open files            unlimited            unlimited            files\n",
  "proc/sys/net/ipv4/ip_local_port_range": "10240 65535\n",
  "proc/sys/kernel/perf_event_paranoid": "1\n",
  "proc/sys/kernel/yama/ptrace_scope": "1\n",
  "proc/meminfo": "MemTotal:       16384000 kB\n",
};

describe.each([
  ["a laptop's container lacks", LAPTOP, "lacking"],
  ["a machine for benchmarks has", BENCH, "good"],
] as const)("%s", (_, files, state) => {
  it.each([
    "cpu-isolation",
    "governor",
    "turbo",
    "smt",
    "container",
    "virtualization",
    "memory",
    "open-files",
    "ephemeral-ports",
    "perf-events",
    "ptrace",
  ])("%s", (id) => {
    writeFiles(root, files);
    const checks = machineChecks({
      settings: readSettings(CPUS, root),
      split: SPLIT,
      cpuModel: "Test",
      neighbours: CALM,
    });
    const check = checks.find((one) => one.id === id);
    expect(check?.state).toBe(state);
    // A lack always has a remedy.
    expect((check?.todo ?? "") !== "").toBe(state === "lacking");
  });
});

it("several isolated CPUs for the server are no help: the kernel moves no thread between them", () => {
  writeFiles(root, { "sys/devices/system/cpu/isolated": "1-3\n" });
  const [isolation] = machineChecks({
    settings: readSettings(CPUS, root),
    split: { ...SPLIT, server: [1, 2], client: [3] },
    cpuModel: "Test",
    neighbours: CALM,
  }).filter(({ id }) => id === "cpu-isolation");
  expect(isolation).toMatchObject({ state: "lacking", found: "CPUs 1-3 are isolated" });
  expect(isolation?.todo).toContain("Isolate one of these CPUs at most");
});

it("what the kernel does not tell is not known, and no lack", () => {
  const checks = machineChecks({
    settings: readSettings(CPUS, root),
    split: SPLIT,
    cpuModel: "Test",
    neighbours: { ...CALM, stealShare: undefined },
  });
  const unknown = checks.filter(({ state }) => state === "unknown").map(({ id }) => id);
  expect(unknown).toEqual([
    "steal",
    "governor",
    "turbo",
    "smt",
    "memory",
    "open-files",
    "ephemeral-ports",
    "perf-events",
  ]);
});

it("names who takes the CPUs' time", () => {
  const neighbours = { busyShare: 0.42, stealShare: 0.2, busiest: { name: "cc1plus", pid: 7, cpuShare: 0.97 } };
  const checks = machineChecks({ settings: readSettings(CPUS, root), split: SPLIT, cpuModel: "Test", neighbours });
  expect(checks.find(({ id }) => id === "other-load")).toMatchObject({
    state: "lacking",
    found: "42.0 % of the CPUs' time is in use; most by cc1plus (pid 7), 97.0 % of a CPU",
  });
  expect(checks.find(({ id }) => id === "steal")).toMatchObject({ state: "lacking", found: "20.0 %" });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SetupError } from "../../../src/errors.js";
import { parseQuota } from "../../../src/measure/machine/cgroup.js";
import { formatCpuList, parseCpuList, readTopology, splitCpus } from "../../../src/measure/machine/cpus.js";

describe("CPU lists", () => {
  it.each([
    ["0", [0]],
    ["0-3,8", [0, 1, 2, 3, 8]],
    ["8,0-1\n", [0, 1, 8]],
    ["", []],
  ])("%j", (text, cpus) => {
    expect(parseCpuList(text)).toEqual(cpus);
    expect(parseCpuList(formatCpuList(cpus))).toEqual(cpus);
  });
  it("formats ranges, in order, once", () => {
    expect(formatCpuList([8, 3, 1, 2, 0, 2])).toBe("0-3,8");
  });
  it("refuses what is none", () => {
    expect(() => parseCpuList("0-x")).toThrow('not a CPU list: "0-x"');
  });
});

describe("splitCpus", () => {
  it("gives each half of the cores", () => {
    const split = splitCpus({ cores: [[0], [1], [2], [3]] });
    expect(split).toEqual({ server: [0, 1], client: [2, 3], shared: false, warnings: [] });
  });
  it("keeps siblings together", () => {
    const split = splitCpus({
      cores: [
        [0, 4],
        [1, 5],
        [2, 6],
        [3, 7],
      ],
    });
    expect(split.server).toEqual([0, 4, 1, 5]);
    expect(split.client).toEqual([2, 6, 3, 7]);
  });
  it("gives an odd core to the client", () => {
    expect(splitCpus({ cores: [[0], [1], [2]] })).toMatchObject({ server: [0], client: [1, 2] });
  });
  it("splits the hardware threads of a single core, and warns", () => {
    const split = splitCpus({ cores: [[2, 3]] });
    expect(split).toMatchObject({ server: [2], client: [3], shared: false });
    expect(split.warnings).toHaveLength(1);
  });
  it("shares a single CPU, and warns", () => {
    const split = splitCpus({ cores: [[5]] });
    expect(split).toMatchObject({ server: [5], client: [5], shared: true });
    expect(split.warnings).toHaveLength(1);
  });
  it("warns of a container's limit only where it limits", () => {
    expect(splitCpus({ cores: [[0], [1]], quotaCpus: 1.5 }).warnings[0]).toContain("1.5 of 2 CPUs");
    expect(splitCpus({ cores: [[0], [1]], quotaCpus: 2 }).warnings).toEqual([]);
  });
  it("needs a CPU", () => {
    expect(() => splitCpus({ cores: [] })).toThrow(SetupError);
  });
});

it("reads a cgroup's limit", () => {
  expect(parseQuota("150000 100000\n")).toBe(1.5);
  expect(parseQuota("max 100000\n")).toBeUndefined();
  expect(parseQuota("")).toBeUndefined();
});

it("reads this machine's topology", () => {
  const cpus = readTopology().cores.flat();
  expect(cpus.length).toBeGreaterThan(0);
  expect(new Set(cpus).size).toBe(cpus.length);
});

describe("CPUs that are offline", () => {
  const ALLOWED = { "proc/self/status": "Name:\tnode\nCpus_allowed_list:\t0-7\n" };
  const siblings = (cpu: number, list: string) => ({
    [`sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`]: `${list}\n`,
  });

  function coresOf(files: Readonly<Record<string, string>>) {
    const root = mkdtempSync(join(tmpdir(), "server-bench-test-"));
    try {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      return readTopology(root).cores;
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }

  it("are no cores, although this process may run on them", () => {
    const online = { "sys/devices/system/cpu/online": "0-3\n" };
    const cores = [...[0, 2].map((cpu) => siblings(cpu, `${cpu}-${cpu + 1}`)), siblings(1, "0-1"), siblings(3, "2-3")];
    expect(coresOf(Object.assign({ ...ALLOWED, ...online }, ...cores))).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });
  it("are not those of a container whose list counts from 0", () => {
    const online = { "sys/devices/system/cpu/online": "0-3\n" };
    const cores = [0, 1, 2, 3, 4, 5, 6, 7].map((cpu) => siblings(cpu, `${cpu}`));
    expect(coresOf(Object.assign({ ...ALLOWED, ...online }, ...cores))).toHaveLength(8);
  });
  it("are unknown where the kernel does not report them", () => {
    expect(coresOf(ALLOWED)).toHaveLength(8);
    expect(coresOf({ ...ALLOWED, "sys/devices/system/cpu/online": "unknown\n" })).toHaveLength(8);
    expect(coresOf({ ...ALLOWED, "sys/devices/system/cpu/online": "8-9\n" })).toHaveLength(8);
  });
});

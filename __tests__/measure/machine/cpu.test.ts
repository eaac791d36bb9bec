import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clockTicksPerSec } from "../../../src/measure/machine/clock-ticks.js";
import { busyBetween, cpuBetween, parseMachineTime, sampleCpu, stealShare } from "../../../src/measure/machine/cpu.js";
import { kibOf, peakMemoryMiB } from "../../../src/measure/machine/memory.js";
import { startServer } from "../../../src/process/group.js";
import { eventually, serverScript, testRun } from "../../support/run.js";

describe("cpuBetween", () => {
  const cpu = (own: number, children = 0) => ({
    threads: new Map([["1", own]]),
    ticked: own,
    children,
  });
  it("adds what each used", () => {
    expect(
      cpuBetween(
        new Map([["1", cpu(1)]]),
        new Map([
          ["1", cpu(3)],
          ["2", cpu(0.5)],
        ]),
      ),
    ).toBe(2.5);
  });
  it("counts a child that ended once, without what it had used before", () => {
    const before = new Map([
      ["1", cpu(1)],
      ["2", cpu(4)],
    ]);
    expect(cpuBetween(before, new Map([["1", cpu(1.5, 6)]]))).toBe(2.5);
  });
  it("is never less than what the living used", () => {
    const before = new Map([
      ["1", cpu(1)],
      ["2", cpu(4)],
    ]);
    expect(cpuBetween(before, new Map([["1", cpu(1.5)]]))).toBe(0.5);
  });
});

describe("a process's threads", () => {
  const cpu = (ticked: number, threads: Record<string, number>) => ({
    threads: new Map(Object.entries(threads)),
    ticked,
    children: 0,
  });
  const between = (before: ReturnType<typeof cpu>, after: ReturnType<typeof cpu>) =>
    cpuBetween(new Map([["1", before]]), new Map([["1", after]]));
  it("are exact while none ends, whatever ended earlier", () => {
    expect(between(cpu(5, { 1: 1 }), cpu(5.01, { 1: 1.004, 2: 0.002 }))).toBeCloseTo(0.006, 9);
  });
  it("are counted by ticks when one of them ended, and only then", () => {
    const [first, second, third] = [cpu(2, { 1: 1, 2: 1 }), cpu(2.5, { 1: 1.1 }), cpu(2.51, { 1: 1.113 })];
    expect(between(first, second)).toBeCloseTo(0.5, 9);
    expect(between(second, third)).toBeCloseTo(0.013, 9);
  });
  it("are counted by ticks when one started and ended in between, or took over the number of another", () => {
    expect(between(cpu(1, { 1: 1 }), cpu(1.3, { 1: 1.1 }))).toBeCloseTo(0.3, 9);
    expect(between(cpu(2, { 1: 1, 2: 1 }), cpu(2.6, { 1: 1.1, 2: 0.2 }))).toBeCloseTo(0.6, 9);
  });
});

describe("the machine's time", () => {
  it("is read for the CPUs that were asked for", () => {
    const text = "cpu  10 0 20 60 5 1 2 5 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu1 100 0 0 0 0 0 0 0 0 0\nintr 5 5\n";
    expect(parseMachineTime(text, [0])).toEqual({ total: 36, steal: 8, busy: 19 });
    expect(parseMachineTime(text, [0, 1])).toEqual({ total: 136, steal: 8, busy: 119 });
    // A container that numbers its CPUs from 0.
    expect(parseMachineTime(text, [6, 7])).toEqual({ total: 103, steal: 5, busy: 0 });
    expect(parseMachineTime("cpu  10 0", [])).toBeUndefined();
    expect(parseMachineTime("cpu  1 2 3 4\ncpu0 1 2 3 4\n", [0])).toBeUndefined();
  });
  it("shows what was stolen from a few CPUs of a large machine", () => {
    const at = (steal: number) => {
      const cpus = Array.from({ length: 64 }, (_, cpu) => {
        const stolen = cpu >= 4 && cpu < 8 ? steal : 0;
        return `cpu${cpu} ${1000 + 100 - stolen} 0 0 0 0 0 0 ${stolen} 0 0`;
      });
      return parseMachineTime([`cpu  70400 0 0 0 0 0 0 ${4 * steal} 0 0`, ...cpus, ""].join("\n"), [4, 5, 6, 7]);
    };
    const idle = { total: 4000, steal: 0, busy: 4000 };
    expect(stealShare(idle, at(50))).toBe(0.5);
  });
  it("gives the share of steal and the seconds in use", () => {
    const before = { total: 100, steal: 5, busy: 0 };
    const after = { total: 200, steal: 15, busy: 50 };
    expect(stealShare(before, after)).toBe(0.1);
    expect(stealShare(before, before)).toBeUndefined();
    expect(stealShare(undefined, after)).toBeUndefined();
    expect(busyBetween(before, after)).toBe(50 / clockTicksPerSec());
    expect(busyBetween(undefined, after)).toBe(0);
  });
});

it("reads a field of /proc/PID/status", () => {
  expect(kibOf("VmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\n", "VmRSS")).toBe(1024);
  expect(kibOf(undefined, "VmRSS")).toBeUndefined();
});

describe("a real server", () => {
  it("is charged for threads that ended, children that ended and children that stay", async () => {
    await using run = testRun();
    const file = join(run.tempDir, "burn");
    const command = ["python3", serverScript("burning.py"), "known", file];
    await using server = await startServer(
      { command, cwd: run.tempDir, sourceEnv: process.env, extraEnv: {}, cpuList: "0" },
      run,
    );
    await eventually("its child", () => server.processes().length === 2);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = sampleCpu(server.processes());
    writeFileSync(file, "");
    await eventually("the end of the burn", () => existsSync(`${file}.done`), 30);
    const used = cpuBetween(before, sampleCpu(server.processes()));
    // 0.9 s of its own clock; polling, forking and clock ticks are on top or missing.
    expect(used).toBeGreaterThan(0.85);
    expect(used).toBeLessThan(1.1);
  });

  it("is measured to less than a tick although it lost a thread while it booted", async () => {
    await using run = testRun();
    const command = ["python3", serverScript("burning.py"), "lost", run.tempDir];
    await using server = await startServer(
      { command, cwd: run.tempDir, sourceEnv: process.env, extraEnv: {}, cpuList: "0" },
      run,
    );
    await eventually("the end of its thread", () => server.logTail() === "up", 30);
    for (let number = 0; number < 8; number += 1) {
      const before = sampleCpu(server.processes());
      writeFileSync(join(run.tempDir, String(number)), "");
      const done = join(run.tempDir, `${number}.done`);
      await eventually("the end of a burn", () => existsSync(done), 30);
      const used = cpuBetween(before, sampleCpu(server.processes()));
      const own = Number(readFileSync(done, "utf8"));
      // Its polling and the writing of the file are on top: more of it beside other tests. By ticks, half of the burns are outside.
      expect(used, `burn ${number}`).toBeGreaterThanOrEqual(own - 0.0005);
      expect(used, `burn ${number}`).toBeLessThan(own + 0.008);
    }
  });

  it("has the memory that it used at its peak", async () => {
    await using run = testRun();
    const code = "import time; x = bytearray(b'x') * (64 << 20); del x; print('up', flush=True); time.sleep(60)";
    await using server = await startServer(
      { command: ["python3", "-c", code], cwd: run.tempDir, sourceEnv: process.env, extraEnv: {}, cpuList: "0" },
      run,
    );
    await eventually("its output", () => server.logTail() === "up");
    const peak = peakMemoryMiB(server.processes());
    expect(peak).toBeGreaterThan(64);
    expect(peak).toBeLessThan(100);
  });
});

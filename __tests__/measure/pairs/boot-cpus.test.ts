/** Where the second server of a pair boots, and where it is when it is loaded. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatCpuList, readTopology, splitCpus } from "../../../src/measure/machine/cpus.js";
import { bootCpus } from "../../../src/measure/pairs/boot-cpus.js";
import { PairSeries } from "../../../src/measure/pairs/pair.js";
import { SLICES_TOGETHER } from "../../../src/measure/pairs/schedule.js";
import { findRun } from "../../../src/process/sweep.js";
import { faultyRow, plainPython, testContext } from "../../support/measure.js";
import { endWithoutProcesses, type TestRun, testRun } from "../../support/run.js";

it("is a CPU of the load generator, where servers have one CPU of their own", () => {
  const root = mkdtempSync(join(tmpdir(), "boot-cpus-"));
  try {
    const of = (cores: number[][]) => bootCpus(splitCpus({ cores }), root);
    expect(of([[0]])).toBeUndefined();
    expect(of([[0], [1]])).toEqual([1]);
    expect(of([[0, 1]])).toEqual([1]);
    expect(of([[4], [5], [6]])).toEqual([5]);
    expect(of([[0], [1], [2], [3]])).toBeUndefined();
    mkdirSync(join(root, "sys/devices/system/node/node1"), { recursive: true });
    expect(of([[0], [1]])).toBeUndefined();
  } finally {
    rmSync(root, { recursive: true });
  }
});

/** As on a machine with two CPUs, whatever this one has. */
const [first = 0, second] = readTopology().cores.flat();
const CPUS = splitCpus({ cores: [[first], ...(second === undefined ? [] : [[second]])] });
const [SERVER, BOOT] = [formatCpuList(CPUS.server), formatCpuList(bootCpus(CPUS) ?? [])];
const CHANCE = { first: "head", hashSeed: 1, padBytes: 0, stackBytes: 128 * 1024 * 1024 } as const;
const TIMEOUT_MS = 60_000;

/** CPU lists of the run's servers. */
function listsOfServers(run: TestRun): (string | undefined)[] {
  return findRun(run)
    .filter(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("faulty.py"))
    .map(({ pid }) => /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

describe.runIf(second !== undefined && BOOT !== "")("the servers of a pair", { timeout: TIMEOUT_MS }, () => {
  let run: TestRun;
  beforeEach(() => {
    run = testRun();
  });
  afterEach(() => endWithoutProcesses(run));

  it("boot on different CPUs, and are on the same one once they are loaded", async () => {
    const seen: Record<string, (string | undefined)[]> = {};
    const onPhase = (phase: string) => {
      if (phase === "starting") setTimeout(() => (seen.booting = listsOfServers(run)), 1000);
      else seen[phase] ??= listsOfServers(run);
    };
    const side = { row: faultyRow("late"), ready: plainPython() };
    const context = { ...testContext(run, { cpus: CPUS }), connections: 8, onPhase, onLoad: () => {} };
    await using series = new PairSeries();
    const outcome = await series.measure({ base: side, head: side }, CHANCE, context);
    expect(outcome.state).toBe("measured");
    expect(seen.booting?.toSorted()).toEqual([SERVER, BOOT].toSorted());
    expect(seen["head: warming up"]).toEqual([SERVER, SERVER]);
    expect(seen["base and head: measuring at the same time"]).toEqual([SERVER, SERVER]);
  });

  it("boot on the same CPU where one of them cannot be moved, from the next pair on without a second try", async () => {
    const starts = join(run.tempDir, "starts");
    const row = faultyRow("good");
    const stopping = `import os, signal, sys; open("${starts}", "a").write("."); os.kill(os.getppid(), signal.SIGSTOP); os.execvp(sys.argv[1], sys.argv[1:])`;
    const command = ["python3", "-c", stopping, ...row.server.command];
    const base = { row: { ...row, server: { ...row.server, command } }, ready: plainPython() };
    const sides = { base, head: { row, ready: plainPython() } };
    const lists: (string | undefined)[][] = [];
    const onPhase = (phase: string) => {
      if (phase.endsWith("at the same time")) lists.push(listsOfServers(run));
    };
    const context = { ...testContext(run, { cpus: CPUS }), connections: 8, onPhase, onLoad: () => {} };
    await using series = new PairSeries();
    for (let pair = 0; pair < 2; pair += 1)
      expect((await series.measure(sides, CHANCE, context)).state).toBe("measured");
    expect(lists).toEqual(Array.from({ length: 2 * SLICES_TOGETHER }, () => [SERVER, SERVER]));
    // Twice in the first pair.
    expect(readFileSync(starts, "utf8")).toBe("...");
  });
});

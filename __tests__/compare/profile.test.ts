import { describe, expect, it } from "vitest";
import { seeded } from "../../evaluation/random.js";
import { profiledFunctions, samplesOf } from "../../src/compare/profile.js";
import { timeDifference } from "../../src/compare/profile-difference.js";
import { parseStacks, type Stack } from "../../src/compare/profile-stacks.js";
import { profileTree } from "../../src/compare/profile-tree.js";

const side = (stacks: readonly Stack[], cpuPerRequestUs: number) => ({
  samples: samplesOf(stacks),
  cpuPerRequestUs,
  processes: 3,
});

function profiled(base: string, head: string, cpu = { base: 40, head: 44 }) {
  const stacks = { base: parseStacks(base), head: parseStacks(head) };
  return profiledFunctions({ base: side(stacks.base, cpu.base), head: side(stacks.head, cpu.head) }, stacks);
}

describe("the functions of a profile", () => {
  it("are those whose time per request differs beyond its error, the largest difference first", () => {
    const base = "run (a.py:1) 500\nrun (a.py:1);slow (a.py:9) 100\nrun (a.py:1);gone (b.py:2) 400\n";
    const head = "run (a.py:1) 460\nrun (a.py:1);slow (a.py:12) 500\nrun (a.py:1);gone (b.py:2) 40\n";
    const found = profiled(base, head);
    expect(found.map(({ name, file, line }) => [name, file, line])).toEqual([
      ["slow", "a.py", 12],
      ["gone", "b.py", 2],
    ]);
    const [slow, gone] = found;
    expect(slow).toMatchObject({ baseUs: 4, headUs: 22, differenceUs: 18 });
    expect(gone?.differenceUs).toBeCloseTo(1.76 - 16);
    for (const { differenceUs, errorUs } of found) expect(Math.abs(differenceUs)).toBeGreaterThan(errorUs);
  });

  it("are matched by their order where one file has several of a name", () => {
    const base = "send (a.py:10) 500\nsend (a.py:20) 500\n";
    const found = profiled(base, "send (a.py:15) 200\nsend (a.py:29) 800\n", { base: 40, head: 40 });
    expect(found.map(({ line, baseUs, headUs }) => [line, baseUs, headUs])).toEqual([
      [15, 20, 8],
      [29, 20, 32],
    ]);
    // Where one side has one more, nobody can say which is which.
    expect(profiled(base, "send (a.py:15) 1000\n", { base: 40, head: 40 })).toEqual([]);
  });

  it("are at most ten", () => {
    const of = (count: (i: number) => number) =>
      Array.from({ length: 24 }, (_, i) => `f${i} (a.py:${i + 1}) ${count(i)}\n`).join("");
    const found = profiled(
      of((i) => (i % 2 === 0 ? 1000 : 10)),
      of((i) => (i % 2 === 0 ? 10 : 1000)),
    );
    expect(found).toHaveLength(10);
  });

  it("are none where nothing was sampled often enough", () => {
    expect(profiled("run (a.py:1) 1000\n", "run (a.py:1) 996\nrare (a.py:2) 4\n", { base: 40, head: 40 })).toEqual([]);
  });
});

describe("the error of a difference", () => {
  const PROFILES = 400;
  const SHARES = [0.3, 0.2, 0.1, 0.1, 0.05, 0.05, ...Array.from({ length: 20 }, () => 0.01)];
  const SAMPLES = 1500;

  /** Draws samples one by one. */
  function drawn(random: () => number, shares: readonly number[]): number[] {
    const counts = shares.map(() => 0);
    const ends = shares.map((_, i) => shares.slice(0, i + 1).reduce((sum, share) => sum + share, 0));
    for (let i = 0; i < SAMPLES; i += 1) {
      const drawn = random() * (ends.at(-1) ?? 0);
      const at = ends.findIndex((end) => drawn < end);
      counts[Math.max(0, at)] = (counts[Math.max(0, at)] ?? 0) + 1;
    }
    return counts;
  }

  it("lets a profile of the same code show a function in at most one of twenty", () => {
    const random = seeded(11);
    let wrong = 0;
    for (let i = 0; i < PROFILES; i += 1) {
      const text = () => drawn(random, SHARES).flatMap((n, f) => (n > 0 ? [`f${f} (a.py:${f + 1}) ${n}\n`] : []));
      if (profiled(text().join(""), text().join(""), { base: 40, head: 40 }).length > 0) wrong += 1;
    }
    expect(wrong / PROFILES).toBeLessThan(0.05);
  });

  it("covers the true difference, and shrinks with the samples", () => {
    const random = seeded(12);
    let covered = 0;
    for (let i = 0; i < PROFILES; i += 1) {
      const [base = 0] = drawn(random, [0.02, 0.98]);
      const [head = 0] = drawn(random, [0.06, 0.94]);
      const of = { samples: SAMPLES, cpuPerRequestUs: 50, processes: 1e6 };
      const { differenceUs, errorUs } = timeDifference({ base: of, head: of }, { base, head }, 1);
      if (Math.abs(differenceUs - 2) <= errorUs) covered += 1;
    }
    expect(covered / PROFILES).toBeGreaterThan(0.92);
    const error = (samples: number) => {
      const of = { samples, cpuPerRequestUs: 50, processes: 1e6 };
      return timeDifference({ base: of, head: of }, { base: samples / 10, head: samples / 10 }, 1).errorUs;
    };
    expect(error(4000) / error(1000)).toBeCloseTo(0.5, 1);
  });
});

describe("the tree of both sides", () => {
  const tree = (base: string, head: string) => {
    const stacks = { base: parseStacks(base), head: parseStacks(head) };
    return profileTree({ base: side(stacks.base, 40), head: side(stacks.head, 44) }, stacks);
  };

  it("leaves out what all calls have in common, Python's machinery and calls that cannot be seen", () => {
    const trunk = "main (bin/uvicorn:1);run (asyncio/runners.py:1)";
    const text = (slow: number) =>
      [
        `${trunk};send (a.py:2);PyEval (/usr/bin/python3.11);write (libc.so.6) 500`,
        `${trunk};slow (a.py:9) ${slow}`,
        `${trunk};rare (a.py:20) 1`,
      ].join("\n");
    const { root, common } = tree(text(100), text(600));
    expect(common.map(({ name }) => name)).toEqual(["main", "run"]);
    expect(root.children.map(({ of, differs }) => [of.name, differs])).toEqual([
      ["send", true],
      ["slow", true],
    ]);
    expect(root.children[0]?.children.map(({ of }) => of)).toEqual([{ name: "write", file: "libc.so.6" }]);
  });

  it("adds up to the CPU time per request of each side", () => {
    const { root } = tree("a (a.py:1) 300\nb (b.py:1) 100\n", "a (a.py:1) 300\nc (c.py:1) 100\n");
    expect([root.baseUs, root.headUs]).toEqual([40, 44]);
    const sum = (of: "baseUs" | "headUs") => root.children.reduce((total, child) => total + child[of], 0);
    expect([sum("baseUs"), sum("headUs")]).toEqual([40, 44]);
  });
});

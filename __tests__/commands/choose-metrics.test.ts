/** Which metrics a run judges where the user named none. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Against } from "../../src/commands/run/against.js";
import { chooseMetrics } from "../../src/commands/run/choose-metrics.js";
import { precisionFor, USUAL_PRECISION } from "../../src/compare/precision.js";
import { testRun } from "../support/run.js";

const FINE = precisionFor(0.01);
const NONE = { countsAreExtra: false, countsSuspects: false };

function beside(precision = FINE): Against {
  const source = {} as Extract<Against, { readonly kind: "paired" }>["base"]["source"];
  return { kind: "paired", base: { source, budgetMinutes: undefined, latency: false, precision }, ifUnusable: "fail" };
}

/** A folder for PATH with a Valgrind of this version; none: an empty one. */
async function pathWith(folder: string, version?: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  for (const name of version === undefined ? [] : ["valgrind", "vgdb"]) {
    await writeFile(join(bin, name), `#!/bin/sh\necho valgrind-${version}\n`);
    await chmod(join(bin, name), 0o755);
  }
  return bin;
}

async function chosen(given: Parameters<typeof chooseMetrics>[0], version?: string) {
  await using run = await testRun();
  const notes: string[] = [];
  const setup = { note: (text: string) => notes.push(text) } as unknown as Parameters<typeof chooseMetrics>[2]["setup"];
  const env = { PATH: await pathWith(run.tempDir, version) };
  const { metrics, ...counts } = await chooseMetrics(given, { env }, { setup }, { context: run });
  return { metrics: metrics.join(), ...counts, notes };
}

describe("the metrics of a run that names none", () => {
  it("are counted instructions too, for small changes beside a base", async () => {
    expect(await chosen({ against: beside() }, "3.19.0")).toEqual({
      metrics: "throughput,cpu,instructions",
      countsAreExtra: true,
      countsSuspects: false,
      notes: [],
    });
  });

  it("are the usual ones otherwise, and rows that may have changed are counted", async () => {
    const suspects = { metrics: "throughput,cpu", countsAreExtra: true, countsSuspects: true, notes: [] };
    expect(await chosen({ against: beside(USUAL_PRECISION) }, "3.19.0")).toEqual(suspects);
    const { base } = beside() as Extract<Against, { readonly kind: "paired" }>;
    const stored = {} as Extract<Against, { readonly kind: "storedThenPaired" }>["stored"];
    expect(await chosen({ against: { kind: "storedThenPaired", base, stored } }, "3.19.0")).toEqual(suspects);
  });

  it("are the usual ones without Valgrind, and the user reads what it would show", async () => {
    const { notes, ...rest } = await chosen({ against: beside() });
    expect(rest).toEqual({ metrics: "throughput,cpu", ...NONE });
    expect(notes).toEqual([
      "Instruction counts would show changes of 1 % sooner than time does: there is no valgrind on PATH; install it with: apt install valgrind",
    ]);
  });

  it("are the usual ones alone without a base, and without Valgrind where changes of the usual size are looked for", async () => {
    const usual = { metrics: "throughput,cpu", ...NONE, notes: [] };
    expect(await chosen({ against: beside(USUAL_PRECISION) })).toEqual(usual);
    expect(await chosen({ against: { kind: "none" } }, "3.19.0")).toEqual(usual);
  });
});

describe("the metrics of a run that names them", () => {
  it("are those", async () => {
    const given = { against: beside(), metrics: ["cpu"] as const };
    expect(await chosen(given, "3.19.0")).toEqual({ metrics: "cpu", ...NONE, notes: [] });
  });
});

import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { ClosingLine } from "./__tests__/support/closing-line.js";
import { LongestFirst } from "./__tests__/support/longest-first.js";
import { SecondTries } from "./__tests__/support/second-tries.js";
import { SkipGate } from "./__tests__/support/skip-gate.js";

const ALL = "__tests__/**/*.test.ts";

/** They judge what a load took, or measure pairs, which take longer beside another load: nothing runs beside them. */
const ALONE = [
  ...["measure/pairs/boot-cpus", "measure/pairs/pair", "measure/pairs/together", "security/idle-burn"],
  ...["disturbed", "latency", "measure"].map(inIntegration),
].map(testFile);

/** They take a third of the time of all tests. `npm run test:long` runs them, and CI does so beside the others. */
const LONG = "__tests__/long/*.test.ts";
const LONG_ALONE = "__tests__/long/alone/*.test.ts";

/** A simulation or a run of a few rows takes 20 s, and several times as long beside others on a slow machine. */
const TEST_MS = 180_000;

/** With two files at a time a quarter of two CPUs was unused. */
const PARTS_FILES = 3;

/** With two files at a time a quarter of two CPUs was unused, with four 3 %. Four still pass while another program keeps one of them busy. */
const WHOLE_FILES = 4;

/** Real servers on a shared machine now and then miss a deadline. CI tries such a test once more, and names it. */
const RETRY = process.env.CI ? 1 : 0;

/** Whole tools with real servers. They judge what is said and stored, not how fast it was. */
const WHOLE = ["actions", "chaos", "integration", "security"].map((folder) => `__tests__/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    globalSetup: ["without-shim", "own-machine-lock", "provided"].map((name) => `__tests__/support/${name}.ts`),
    setupFiles: ["__tests__/support/lock-of-worker.ts"],
    testTimeout: TEST_MS,
    // A second is short for a process of this machine that shares its CPUs with other tests.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 120_000,
    reporters: ["default", new SkipGate(), new SecondTries(), new ClosingLine()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: [ALL],
          exclude: [...WHOLE, ...ALONE, LONG, LONG_ALONE],
          // Files share what they import: 270 of them loaded it for a third of their CPU time.
          isolate: false,
          ...inOrder(0, PARTS_FILES),
        },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: WHOLE,
          exclude: ALONE,
          retry: RETRY,
          ...inOrder(1, WHOLE_FILES),
        },
      },
      { extends: true, test: { name: "alone", include: ALONE, retry: RETRY, ...inOrder(2, 1) } },
      { extends: true, test: { name: "long", include: [LONG], retry: RETRY, ...inOrder(3, WHOLE_FILES) } },
      { extends: true, test: { name: "long-alone", include: [LONG_ALONE], retry: RETRY, ...inOrder(4, 1) } },
    ],
  },
});

/** One project after another. */
function inOrder(groupOrder: number, maxWorkers: number) {
  return { sequence: { groupOrder }, maxWorkers };
}

function inIntegration(name: string): string {
  return `integration/${name}`;
}

/** @throws Error for a file that is not there: a test that was renamed would run beside others */
function testFile(name: string): string {
  const file = `__tests__/${name}.test.ts`;
  if (!existsSync(new URL(file, import.meta.url)))
    throw new Error(`vitest.config.ts names ${file}, which does not exist`);
  return file;
}

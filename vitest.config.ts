import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { ClosingLines } from "./__tests__/support/closing-lines.js";
import { LongestFirst } from "./__tests__/support/longest-first.js";
import { SkipGate } from "./__tests__/support/skip-gate.js";

const ALL = "__tests__/**/*.test.ts";

/** Whole runs that would fail if the product were broken for its users. */
const WHOLE = "__tests__/whole/*.test.ts";

/** `npm run test:full`: real servers and tools, one behaviour after another, and simulations. `npm test` runs all but these. */
const FULL = [
  ...["actions/events", "chaos", "integration", "long"].map((folder) => `__tests__/${folder}/**/*.test.ts`),
  ...[
    ...["compare/paired-simulation", "fuzz/fuzz", "measure/memory/memory-pair", "measure/preparation"],
    ...["actions/nothing-to-compare", "actions/against", "actions/stopped", "actions/proxy"],
    ...["security/artifacts", "security/base", "security/tokens", "security/processes"],
    ...["provision/tools/run-tool"],
  ].map(testFile),
];

/** They judge what a load took, or measure pairs, which take longer next to another load: nothing runs with them. */
const ALONE = [
  "__tests__/long/alone/*.test.ts",
  ...["measure/pairs/boot-cpus", "measure/pairs/pair", "measure/pairs/together", "security/idle-burn"].map(testFile),
  ...["disturbed", "latency", "measure"].map((name) => testFile(`integration/${name}`)),
];

/** A simulation or a run of a few rows takes 20 s, and several times as long next to others on a slow machine. */
const TEST_MS = 180_000;

/** With two files at a time a quarter of two CPUs was unused, with four 3 %. Four still pass while another program keeps one of them busy. */
const FILES = 4;

/** Real servers on a shared machine now and then miss a deadline. CI tries such a test once more, and names it. */
const RETRY = process.env.CI ? 1 : 0;

const support = (...names: string[]) => names.map((name) => `__tests__/support/${name}.ts`);
const SETUP = support("global-setup");

export default defineConfig({
  test: {
    globalSetup: SETUP,
    setupFiles: support("file-setup"),
    testTimeout: TEST_MS,
    // A second is short for a process of this machine that shares its CPUs with other tests.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 120_000,
    reporters: ["default", new SkipGate(), new ClosingLines()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "quick",
          include: [ALL],
          exclude: [WHOLE, ...FULL, ...ALONE],
          // Files share what they import: 270 of them loaded it for a third of their CPU time.
          isolate: false,
          retry: RETRY,
          ...inOrder(0, FILES),
        },
      },
      { extends: true, test: { name: "whole", include: [WHOLE], retry: RETRY, ...inOrder(0, FILES) } },
      {
        extends: true,
        test: {
          name: "full",
          globalSetup: support("built-wheels"),
          include: FULL,
          exclude: ALONE,
          retry: RETRY,
          ...inOrder(1, FILES),
        },
      },
      {
        extends: true,
        test: {
          name: "full-alone",
          globalSetup: support("built-wheels"),
          include: ALONE,
          retry: RETRY,
          ...inOrder(2, 1),
        },
      },
    ],
  },
});

/** One project after another. */
function inOrder(groupOrder: number, maxWorkers: number) {
  return { sequence: { groupOrder }, maxWorkers };
}

/** @throws Error for a file that is not there: a test that was renamed would run where it does not belong */
function testFile(name: string): string {
  const file = `__tests__/${name}.test.ts`;
  if (!existsSync(new URL(file, import.meta.url)))
    throw new Error(`vitest.config.ts names ${file}, which does not exist`);
  return file;
}

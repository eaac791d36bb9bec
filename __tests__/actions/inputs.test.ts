/** The action's inputs: every message names the input, never an option of the command line. */
import { describe, expect, it } from "vitest";
import { INPUT_NAMES, readInputs } from "../../src/actions/inputs.js";
import { repeatCommands } from "../../src/actions/repeat-command.js";
import { unusedNote } from "../../src/actions/unused-inputs.js";
import { openDisplay } from "../../src/commands/display.js";
import { planShards } from "../../src/commands/plan.js";
import { type Against, NONE, type StoredBase } from "../../src/commands/run/against.js";
import { planHead, planLatency } from "../../src/commands/run/head-plan.js";
import { precisionFor } from "../../src/compare/precision.js";
import type { BaseSource } from "../../src/provision/sides/sides.js";
import { ROOT } from "../support/own-set.js";
import { sampleResults } from "../support/results.js";

const read = (inputs: Readonly<Record<string, string>>) => readInputs((name) => inputs[name] ?? "", "/work");
const context = { root: ROOT, cwd: ROOT, env: {}, stdout: { write: () => {} }, stderr: { write: () => {} } };
const { setup } = openDisplay(context.stdout, {});

const source: BaseSource = {
  ...{ kind: "folder", asked: "base ../base", given: "../base", folder: "/base", notes: [], uncommitted: false },
};
const base = { source, budgetMinutes: 10, latency: true, precision: precisionFor(0.01) };
const stored: StoredBase = {
  runs: [{ source: "out/base.json", results: sampleResults() }],
  anchors: ["uvicorn"],
  facts: {},
};

describe("a wrong value", () => {
  it.each([
    [{ "fail-on": "wrose" }, 'invalid fail-on "wrose": use never, worse, failed; did you mean "worse"?'],
    [{ budget: "soon" }, 'invalid budget "soon": give minutes, such as 10 or 2.5'],
    [{ baseline: "pair" }, 'invalid baseline "pair": use paired, auto, artifact, none'],
    [{ detect: "0.5" }, 'invalid detect "0.5": give per cent from 1 to 3, such as 1 or 2.5'],
    [{ latency: "yes" }, 'invalid latency "yes": use true or false'],
    [{ shard: "5/4" }, 'invalid shard "5/4": write its number'],
    [{ shards: "300" }, 'invalid shards "300": give a whole number from 1 to 256'],
    [{ cores: "0" }, 'invalid cores "0"'],
    [{ base: "main", baseline: "none" }, "base has no meaning with baseline: none"],
    [{ base: "main", "base-results": "a.json" }, "base and base-results exclude each other"],
  ])("%j", (inputs, message) => {
    expect(() => read(inputs)).toThrow(message);
  });

  it.each([
    [{ profile: "fast" }, /^invalid profile "fast"/],
    [{ servers: "granian" }, /^invalid servers "granian": write NAME=SPEC/],
    [{ servers: "granain=1" }, /^invalid servers "granain=1": unknown server/],
    [{ "scenarios-dir": "/no/such" }, /^scenarios-dir \/no\/such: no such folder/],
    [{ scenarios: "interfaces", python: "3.12,3.13" }, /^python names 2 Pythons/],
  ])("%j, found when the rows are planned", async (inputs, message) => {
    const failure = await planHead(read(inputs).run, INPUT_NAMES, context, setup).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).not.toContain("--");
  });

  it("latency of a row that cannot have it", async () => {
    const head = await planHead(read({ scenarios: "websockets", profile: "quick" }).run, INPUT_NAMES, context, setup);
    expect(() => planLatency(head, { kind: "paired", base, ifUnusable: "fail" }, INPUT_NAMES)).toThrow(
      /^latency: the row/,
    );
    expect(planLatency(head, NONE, INPUT_NAMES)).toBe(head);
  });

  it("notes of a plan", async () => {
    const options = { selectors: ["concurrency"], profile: "standard", servers: [], shards: 2, names: INPUT_NAMES };
    const { notes } = await planShards(options, context);
    expect(notes).toEqual([expect.stringMatching(/; give cores for others$/)]);
  });
});

describe("what a workflow gives for all of its events", () => {
  const inputs = read({ "fail-on": "worse", anchor: "uvicorn", budget: "10", latency: "true", detect: "1" });

  it.each([
    [
      "nothing",
      NONE,
      "The inputs fail-on: worse, anchor, budget, latency: true, detect have nothing to apply to in this run.",
    ],
    [
      "stored results",
      { kind: "stored", stored },
      "The inputs budget, latency: true, detect have nothing to apply to in this run.",
    ],
    ["pairs", { kind: "paired", base, ifUnusable: "fail" }, "The input anchor has nothing to apply to in this run."],
    ["both", { kind: "storedThenPaired", stored, base }, undefined],
  ] as const)("is noted where it has nothing to apply to: %s", (_, against: Against, note) => {
    expect(unusedNote(against, inputs)).toBe(note);
  });

  it("is no part of a command that could not take it", () => {
    const repeat = (against: Against) =>
      repeatCommands({ ...inputs.run, scenarios: "bench" }, against)
        .command.slice(2)
        .join(" ");
    const common = "--profile standard --scenarios bench";
    expect(repeat(NONE)).toBe(common);
    expect(repeat({ kind: "stored", stored })).toBe(`${common} --base-results out/base.json --anchor uvicorn`);
    expect(repeat({ kind: "paired", base, ifUnusable: "fail" })).toBe(
      `${common} --base ../base --budget 10 --latency --detect 1`,
    );
    expect(repeat({ kind: "storedThenPaired", stored, base })).toBe(
      `${common} --base-results out/base.json --anchor uvicorn --confirm ../base --budget 10 --latency --detect 1`,
    );
  });
});

/** Stored results are compared by throughput and CPU alone. Other metrics need base beside head; without it nothing is compared. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { chooseAgainst } from "../../src/actions/against.js";
import { readInputs } from "../../src/actions/inputs.js";
import { formatResults } from "../../src/results/layout.js";
import { tempFolder } from "../support/cli.js";
import { commit, newRepository } from "../support/repository.js";
import { sampleResults } from "../support/results.js";

const cwd = newRepository(join(tempFolder(), "checkout"));
const base = commit(cwd, { "a.txt": "base\n" });
commit(cwd, { "a.txt": "head\n" });
writeFileSync(join(cwd, "base.json"), formatResults(sampleResults()));

async function chosen(inputs: Readonly<Record<string, string>>) {
  const output = { write: () => {} };
  const context = { root: cwd, cwd, env: {}, stdout: output, stderr: output };
  const read = readInputs((name) => inputs[name] ?? "", cwd);
  return await chooseAgainst({ inputs: read, context, job: undefined, github: undefined, log: () => {} });
}

const FILES = { "base-results": "base.json" };
const REASON = "metrics: instructions cannot be compared with stored results, which are compared by throughput and cpu";

it.each([
  [{ ...FILES, metrics: "instructions" }, REASON],
  [{ baseline: "artifact", metrics: "instructions" }, REASON],
  [{ ...FILES, baseline: "auto", metrics: "instructions" }, REASON],
])("%j: nothing to compare with, and why", async (inputs, reason) => {
  const { against } = await chosen(inputs);
  expect(against).toMatchObject({ kind: "none", because: { kind: "stored" } });
  expect(against.kind === "none" && against.because?.reason).toMatch(reason);
});

it("auto measures base beside head where the metrics have no stored results", async () => {
  const auto = { ...FILES, baseline: "auto", base };
  expect(await chosen({ ...auto, metrics: "instructions" })).toMatchObject({ against: { kind: "paired" } });
  expect(await chosen({ ...auto, metrics: "cpu,instructions" })).toMatchObject({
    against: { kind: "storedThenPaired" },
  });
  expect(await chosen({ ...FILES, metrics: "throughput" })).toMatchObject({ against: { kind: "stored" } });
});

/** `run --base DIR` with real processes: an app that takes longer is called worse, one with another comment is not. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { judgePaired } from "../../src/compare/paired.js";
import { readResults } from "../../src/results/read.js";
import { runIn, slowerApp, waitingApp, waitingScenarios } from "../support/own-set.js";
import { pairedRow } from "../support/pairs.js";
import { sideFolders } from "../support/side-folders.js";

/** Minutes: room for the first pairs of three rows. */
const BUDGET = "1.0";

const { path, write } = sideFolders();

const OWN = waitingScenarios("slow", "steady", "same");
const SCENARIOS = { ...OWN, "bench/mine.yml": `${OWN["bench/mine.yml"]}  - { title: same again, app: same }\n` };

it("finds what is slower, and what is not", async () => {
  const common = { ...SCENARIOS, "same/app.py": waitingApp() };
  const base = write("base", { ...common, "slow/app.py": waitingApp(), "steady/app.py": waitingApp() });
  const changed = { "slow/app.py": slowerApp(), "steady/app.py": waitingApp("# A comment") };
  const head = write("head", { ...common, ...changed });
  const args = ["mine", "--scenarios", join(head, "bench"), "--base", base, "--budget", BUDGET, "--fail-on", "worse"];
  // That the slower row is sampled without being asked for is in long/action-profile.test.ts.
  const { code, output, errors } = await runIn(head, path("out"), ...args, "--profile-rows", "none");
  expect(code, output + errors).toBe(1);
  expect(output).toMatch(/^worse {2}mine\/slow \(c16\) .* pairs, \d+ s$/m);
  const { comparison, cases, sets } = await readResults(path("out/results.json"));
  expect(sets[0]?.methodology.at(-1)).toMatch(/^Rows with a base are measured in pairs instead/);
  const verdicts = Object.fromEntries((comparison?.rows ?? []).map((row) => [row.id, row.verdict]));
  expect(verdicts["mine/slow"]).toBe("worse");
  // A verdict on the steady row would depend on the noise of this machine; its size does not reach that of the slow one.
  const change = (id: string) => comparison?.rows.find((row) => row.id === id)?.metrics.throughput?.change ?? 0;
  expect(Math.abs(change("mine/steady"))).toBeLessThan(-change("mine/slow") / 2);
  expect(comparison?.controls?.map(({ id, verdict }) => [id, verdict])).toEqual([["mine/same", "inconclusive"]]);
  expect(comparison?.notCompared).toMatchObject([{ id: "mine/same-again", kind: "cannot-have-changed" }]);
  const states = cases.map(({ id, side, state }) => `${id} ${side} ${state}`).sort();
  expect(states).toEqual([
    "mine/same base completed",
    "mine/same head completed",
    "mine/same-again head skipped",
    "mine/slow base completed",
    "mine/slow head completed",
    "mine/steady base completed",
    "mine/steady head completed",
  ]);
  const rows = (comparison?.rows ?? []).map((row) =>
    pairedRow(row.id, row.recorded ?? [], {
      clientBound: row.notes?.some((note) => /^client/.test(note)) ?? false,
      // Earlier runs on this machine have a part in it.
      expectedNoise: row.expectedNoise,
      ended: true,
    }),
  );
  // Anyone can make the same decision from what was recorded.
  expect(judgePaired(rows).map(({ compared }) => [compared.id, compared.verdict])).toEqual(Object.entries(verdicts));
  const report = readFileSync(path("out/report.md"), "utf8");
  expect(report).toContain("Control, identical on both sides");
  expect(report).toContain("Identical on both sides, not measured");
});

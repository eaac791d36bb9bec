/** Under every kind of load a planted slowdown is found in pairs of real servers. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { tempFolder } from "../support/cli.js";
import { NOTHING_PLANTED, type Planted, writeKinds } from "../support/kinds.js";
import { runIn } from "../support/own-set.js";

/** Five rows of at least four pairs, some 6 s each. */
const PAIRED_MS = 900_000;

/** Compares two checkouts, head with what is planted. */
async function compared(selectors: readonly string[], planted: Planted) {
  const temp = tempFolder();
  const base = writeKinds(temp, "base", NOTHING_PLANTED);
  const head = writeKinds(temp, "head", planted);
  const args = ["--scenarios", join(head, "bench"), "--base", base, "--budget", "8", "--profile-rows", "none"];
  const { code, output, errors } = await runIn(head, join(temp, "out"), ...selectors, ...args);
  expect(code, output + errors).toBe(0);
  const { comparison } = await readResults(join(temp, "out/results.json"));
  return { rows: comparison?.rows ?? [], output };
}

/** pair-ends.test.ts has pairs with idle connections. */
const LOADS = ["handshakes", "half", "pieces", "upload", "socket"];

it("a planted slowdown is found in each kind", { timeout: PAIRED_MS }, async () => {
  const ids = LOADS.map((title) => `kinds/${title}`);
  const { rows, output } = await compared(ids, { burn: 20_000, startSec: 0 });
  const verdicts = Object.fromEntries(rows.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts, output).toEqual(Object.fromEntries(ids.map((id) => [id, "worse"])));
});

it("a slower start is found", { timeout: PAIRED_MS }, async () => {
  const { rows, output } = await compared(["kinds/start"], { burn: 0, startSec: 1.5 });
  expect(rows, output).toMatchObject([{ id: "kinds/start", verdict: "worse" }]);
  const { startupTime } = rows[0]?.metrics ?? {};
  expect(startupTime?.verdict, output).toBe("worse");
  expect((startupTime?.head ?? 0) - (startupTime?.base ?? 0)).toBeGreaterThan(1);
});

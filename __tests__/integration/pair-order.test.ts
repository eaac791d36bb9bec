/** A series of pairs on real servers: whose process is made first, where it lies in memory, and that none is left. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pairChance } from "../../src/measure/pairs/chance.js";
import { PairSeries } from "../../src/measure/pairs/pair.js";
import type { PairSides } from "../../src/measure/pairs/pair-servers.js";
import type { PlannedRow, Side } from "../../src/plan/types.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { testRun } from "../support/run.js";

const TIMEOUT_MS = 60_000;
const BASE_FIRST = ["base", "head"];

/** Writes its side down before it becomes the server. */
function notedRow(side: Side, notes: string): PlannedRow {
  const row = faultyRow("good");
  const script = 'echo "$0" $$ >> "$1"; shift; exec "$@"';
  return { ...row, server: { ...row.server, command: ["sh", "-c", script, side, notes, ...row.server.command] } };
}

it("starts base first in one pair and head first in the next one", { timeout: TIMEOUT_MS }, async () => {
  await using run = testRun();
  await using series = new PairSeries();
  const orders: string[][] = [];
  for (const number of [0, 1]) {
    const notes = join(run.tempDir, `notes-${number}`);
    const side = (name: Side) => ({ row: notedRow(name, notes), ready: plainPython() });
    const sides: PairSides = { base: side("base"), head: side("head") };
    const context = { ...testContext(run), connections: 4, onPhase: () => {}, onLoad: () => {} };
    expect(await series.measure(sides, pairChance(1, number), context)).toMatchObject({ state: "measured" });
    const started = readFileSync(notes, "utf8").trim().split("\n");
    // Process ids grow: the shells may have been scheduled in another order than they were made.
    const byPid = started.map((line) => line.split(" ")).sort(([, a], [, b]) => Number(a) - Number(b));
    orders.push(byPid.map(([name = ""]) => name));
  }
  const expected = [0, 1].map((number) =>
    pairChance(1, number).first === "base" ? BASE_FIRST : [...BASE_FIRST].reverse(),
  );
  expect(orders).toEqual(expected);
  expect(orders[0]).not.toEqual(orders[1]);
});

/** Where the server's programs and libraries lie. */
const MAPPED = 'grep -E "r-xp|stack" /proc/$$/maps | cut -d" " -f1 > "$0"; exec "$@"';

it.skipIf(spawnSync("setarch", ["-R", "true"]).status !== 0)(
  "gives both servers of a pair the same addresses",
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    await using run = testRun();
    await using series = new PairSeries();
    const places = async (number: number) => {
      const file = (side: Side) => join(run.tempDir, `maps-${side}-${number}`);
      const row = faultyRow("good");
      const side = (name: Side) => {
        const command = ["sh", "-c", MAPPED, file(name), ...row.server.command];
        return { row: { ...row, server: { ...row.server, command } }, ready: plainPython() };
      };
      const context = { ...testContext(run), connections: 4, onPhase: () => {}, onLoad: () => {} };
      const sides: PairSides = { base: side("base"), head: side("head") };
      expect(await series.measure(sides, pairChance(1, number), context)).toMatchObject({
        state: "measured",
        sameAddresses: true,
      });
      const [base, head] = [readFileSync(file("base"), "utf8"), readFileSync(file("head"), "utf8")];
      expect(base).toBe(head);
      return base;
    };
    expect(await places(0)).not.toBe(await places(1));
  },
);

it("leaves no server behind, although a pair's servers end while the next ones start", {
  timeout: TIMEOUT_MS,
}, async () => {
  await using run = testRun();
  const notes = join(run.tempDir, "notes");
  {
    await using series = new PairSeries();
    const side = (name: Side) => ({ row: notedRow(name, notes), ready: plainPython() });
    const context = { ...testContext(run), connections: 4, onPhase: () => {}, onLoad: () => {} };
    for (const number of [0, 1])
      await series.measure({ base: side("base"), head: side("head") }, pairChance(1, number), context);
  }
  const pids = readFileSync(notes, "utf8")
    .trim()
    .split("\n")
    .map((line) => Number(line.split(" ")[1]));
  expect(pids).toHaveLength(4);
  for (const pid of pids) expect(() => process.kill(pid, 0), `process ${pid}`).toThrow("ESRCH");
});

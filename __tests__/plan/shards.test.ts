import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { matrixOf } from "../../src/plan/matrix.js";
import { planRun } from "../../src/plan/plan.js";
import { expectedRowSec, profileNamed } from "../../src/plan/profile.js";
import { selectSets, splitSelectors } from "../../src/plan/select.js";
import { selectorsOf } from "../../src/plan/shard-selectors.js";
import { environmentOf, parseShard, parseShards, type Shard, shardRows } from "../../src/plan/shards.js";
import type { PlannedRow, PlannedSet } from "../../src/plan/types.js";
import { seeded } from "../support/noise.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PROFILE = profileNamed("standard");
const COUNTS = [1, 2, 3, 4, 7, 16, 64, 256];

async function builtIn(cores: number): Promise<readonly PlannedSet[]> {
  return (await planRun({ root, cwd: root, selectors: [], profile: "standard", cores })).sets;
}

function rowSec(row: PlannedRow): number {
  return expectedRowSec(PROFILE, row);
}

function longestSec(shards: readonly Shard[]): number {
  return Math.max(...shards.map(({ expectedSec }) => expectedSec));
}

/** What `run` would measure for each entry of the matrix. */
function selectedBy(shards: readonly Shard[], sets: readonly PlannedSet[]): string[][] {
  return matrixOf(shards, sets).include.map(({ scenarios }) =>
    selectSets(sets, splitSelectors([scenarios])).flatMap((set) => set.rows.map(({ id }) => id)),
  );
}

describe("the built-in sets", () => {
  it.each(COUNTS)("in %d shards: every row in one of them, by the selectors that run takes", async (count) => {
    const sets = await builtIn(2);
    const rows = sets.flatMap((set) => set.rows);
    const shards = shardRows(rows, PROFILE, count);
    const selected = selectedBy(shards, sets);
    expect(selected).toEqual(shards.map((shard) => shard.rows));
    expect(selected.flat()).toHaveLength(rows.length);
    expect(new Set(selected.flat())).toEqual(new Set(rows.map(({ id }) => id)));
    expect(shards.map(({ index, of }) => `${index}/${of}`)).toEqual(
      Array.from({ length: shards.length }, (_, i) => `${i + 1}/${shards.length}`),
    );
  });

  it.each([
    ["interfaces/rsgi-*", "concurrency/*-st*", "vs-*"],
    ["*/*-echo*", "interfaces", "vs-asgi/daphne-get-10kb"],
  ])("in part (%s, ...): a glob catches no row that was not asked for", async (...selectors) => {
    const sets = await builtIn(4);
    const rows = selectSets(sets, selectors).flatMap((set) => set.rows);
    for (const count of COUNTS) {
      const shards = shardRows(rows, PROFILE, count);
      const selected = selectedBy(shards, sets);
      expect(selected).toEqual(shards.map((shard) => shard.rows));
      expect(selected.flat().sort()).toEqual(rows.map(({ id }) => id).sort());
    }
  });

  it.each(COUNTS)("in %d shards take about as long as each other", async (count) => {
    const rows = (await builtIn(2)).flatMap((set) => set.rows);
    const shards = shardRows(rows, PROFILE, count);
    const fairSec = rows.reduce((sum, row) => sum + rowSec(row), 0) / shards.length;
    // No schedule beats this; longest processing time first stays within 4/3 of the best one.
    const boundSec = Math.max(fairSec, ...rows.map(rowSec));
    expect(longestSec(shards)).toBeLessThanOrEqual(boundSec * (4 / 3) * 1.05);
    if (count <= 16) expect(longestSec(shards)).toBeLessThanOrEqual(boundSec * 1.1);
    for (const shard of shards)
      expect(shard.expectedSec).toBeCloseTo(
        rows.filter(({ id }) => shard.rows.includes(id)).reduce((sum, row) => sum + rowSec(row), 0),
      );
  });

  it("are split the same way again", async () => {
    const split = async () =>
      JSON.stringify(
        shardRows(
          (await builtIn(2)).flatMap((set) => set.rows),
          PROFILE,
          9,
        ),
      );
    expect(await split()).toBe(await split());
  });

  it("need fewer installations than rows that are dealt out one by one", async () => {
    const rows = (await builtIn(2)).flatMap((set) => set.rows);
    const dealt = Array.from({ length: 4 }, (_, i) => rows.filter((_row, at) => at % 4 === i).map(({ id }) => id));
    const installed = (parts: readonly (readonly string[])[]) =>
      parts.reduce((sum, ids) => sum + new Set(rows.filter(({ id }) => ids.includes(id)).map(environmentOf)).size, 0);
    expect(installed(shardRows(rows, PROFILE, 4).map((shard) => shard.rows))).toBeLessThan(0.7 * installed(dealt));
  });
});

/** As much of a row as sharding looks at. */
function row(id: string, server: string, windowSec = 10): PlannedRow {
  const environment = { server, distribution: server, requires: [`${server}==1`], systemPackages: [] };
  return { id, environment, windowSec, connections: [64] } as unknown as PlannedRow;
}

function rowsOf(server: string, count: number, windowSec = 10): PlannedRow[] {
  return Array.from({ length: count }, (_, i) => row(`set/${server}-${i}`, server, windowSec));
}

function idsOf(shards: readonly Shard[]): string[] {
  return shards.map((shard) => shard.rows.map((id) => id.split("/")[1]?.split("-")[0]).join(" "));
}

describe("shardRows", () => {
  it("keeps the rows of an environment together where that costs nothing", () => {
    const mixed = rowsOf("a", 6).flatMap((one, i) => [one, row(`set/b-${i}`, "b")]);
    expect(idsOf(shardRows(mixed, PROFILE, 2))).toEqual(["a a a a a a", "b b b b b b"]);
  });

  it("and splits them where one shard would take longer", () => {
    const shards = shardRows([...rowsOf("a", 10), ...rowsOf("b", 2)], PROFILE, 2);
    expect(shards.map((shard) => shard.rows.length)).toEqual([6, 6]);
    expect(idsOf(shards).sort()).toEqual(["a a a a a a", "a a a a b b"]);
  });

  it("gives a long row a shard of its own", () => {
    const rows = [...rowsOf("a", 4, 10), row("set/long", "b", 60)];
    expect(shardRows(rows, PROFILE, 2).map((shard) => shard.rows)).toContainEqual(["set/long"]);
  });

  it("places the longest rows first: short ones fill up what is left", () => {
    const rows = [10, 10, 10, 10, 10, 10, 90].map((sec, i) => row(`set/row-${i}`, `server-${i}`, sec));
    const shards = shardRows(rows, PROFILE, 2);
    expect(shards.map((shard) => shard.rows.length)).toEqual([6, 1]);
  });

  it("makes no empty shard: fewer rows are fewer shards", () => {
    expect(shardRows(rowsOf("a", 3), PROFILE, 256).map((shard) => [shard.index, shard.of, shard.rows.length])).toEqual([
      [1, 3, 1],
      [2, 3, 1],
      [3, 3, 1],
    ]);
    expect(shardRows([], PROFILE, 4)).toEqual([]);
  });

  it("takes thousands of rows", () => {
    const rows = Array.from({ length: 5000 }, (_, i) => row(`set/x-${i}`, `server-${i % 40}`, 5 + (i % 7)));
    const shards = shardRows(rows, PROFILE, 256);
    expect(new Set(shards.flatMap((shard) => shard.rows)).size).toBe(5000);
    expect(longestSec(shards) / (rows.reduce((sum, one) => sum + rowSec(one), 0) / 256)).toBeLessThan(1.1);
  });
});

describe("selectorsOf", () => {
  const sets = (ids: readonly string[]) =>
    [{ name: "set", rows: ids.map((id) => ({ id })) }] as unknown as PlannedSet[];

  it("names whole sets, and rows by their common beginning", () => {
    const ids = ["set/get", "set/get-1k", "set/get-10k", "set/echo", "set/echo-1k"];
    expect(selectorsOf(ids, sets(ids))).toEqual(["set"]);
    expect(selectorsOf(ids.slice(0, 3), sets(ids))).toEqual(["set/get", "set/get-*"]);
    expect(selectorsOf(["set/get-1k", "set/echo"], sets(ids))).toEqual(["set/get-1k", "set/echo"]);
    expect(selectorsOf([], sets(ids))).toEqual([]);
  });

  it("selects exactly the wanted rows of random sets", () => {
    const random = seeded(5);
    const words = ["get", "echo", "1k", "st", "mt", ""];
    const word = () => words[Math.floor(random() * words.length)] ?? "";
    for (let round = 0; round < 300; round += 1) {
      const slug = () => [word(), word(), word()].filter(Boolean).join("-");
      const ids = [...new Set(Array.from({ length: 20 }, () => `set/${slug()}`))];
      const wanted = ids.filter(() => random() < 0.6);
      const named = selectorsOf(wanted, sets(ids));
      const selected =
        named.length === 0 ? [] : selectSets(sets(ids), named).flatMap((set) => set.rows.map(({ id }) => id));
      expect(selected, named.join()).toEqual(wanted);
    }
  });
});

describe("matrixOf", () => {
  it("is what a workflow takes", () => {
    const rows = [...rowsOf("a", 2), ...rowsOf("b", 1)];
    const sets = [{ name: "set", rows }] as unknown as PlannedSet[];
    expect(matrixOf(shardRows(rows, PROFILE, 2), sets)).toEqual({
      include: [
        { shard: "1/2", name: "1-of-2", scenarios: "set/a-*", minutes: 0.5 },
        { shard: "2/2", name: "2-of-2", scenarios: "set/b-0", minutes: 0.3 },
      ],
    });
  });

  it("refuses what a job's output cannot hold", () => {
    const rows = Array.from({ length: 3000 }, (_, i) => row(`set/${"x".repeat(200)}${i}`, "a"));
    // Every other row, so that no glob can stand for them.
    const some = rows.filter((_, i) => i % 2 === 0);
    const sets = [{ name: "set", rows: [...rows, ...rowsOf("b", 1)] }] as unknown as PlannedSet[];
    expect(() => matrixOf(shardRows(rows, PROFILE, 256), sets)).toThrow(
      /the matrix has \d+ characters and a job's output holds 524288/,
    );
    expect(matrixOf(shardRows(some, PROFILE, 256), sets).include).toHaveLength(256);
  });
});

describe("places and counts", () => {
  it("are read", () => {
    expect(parseShards("256")).toBe(256);
    expect(parseShard("2/4")).toEqual({ index: 2, of: 4 });
    expect(parseShard("256/256")).toEqual({ index: 256, of: 256 });
  });

  it.each(["0", "257", "-1", "1.5", "four", "", "1e2", " 4"])("--shards %j is refused", (text) => {
    expect(() => parseShards(text)).toThrow(`invalid --shards "${text}": give a whole number from 1 to 256`);
  });

  it.each(["0/4", "5/4", "1/257", "4", "1/4/2", "-1/4", "1.5/4", "a/b", "1 / 4", ""])(
    "--shard %j is refused",
    (text) => {
      expect(() => parseShard(text)).toThrow(`invalid --shard "${text}": write its number and how many there are`);
    },
  );
});

/** `extends:` for servers and sets. */
import { describe, expect, it } from "vitest";
import { planRun } from "../../src/plan/plan.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { SERVERS, scenarioFolder, toolFolder } from "../support/scenarios.js";

const ROWS = "title: Mine\nrows:\n  - { title: A, server: tuned, interface: asgi, request: hello }\n";

async function rowsOf(files: Readonly<Record<string, string>>, selector = "mine"): Promise<readonly PlannedRow[]> {
  const root = await toolFolder({ "servers.yml": SERVERS });
  const scenarios = await scenarioFolder(files);
  const plan = await planRun({ root, cwd: root, scenarios, selectors: [selector], profile: "standard", cores: 4 });
  return plan.sets.flatMap(({ rows }) => rows);
}

const tuned = (fields: string) =>
  rowsOf({ "servers.yml": `servers:\n  tuned: { extends: fast${fields} }\n`, "mine.yml": ROWS });

describe("a server that extends a built-in one", () => {
  it("has its fields, where it says nothing else", async () => {
    const [row] = await tuned("");
    expect(row?.server).toMatchObject({ name: "tuned", title: "Fast", readyTimeoutSec: 20, env: {} });
    expect(row?.environment.requires).toEqual(["Fast_Server[extra]==1.0", "uvloop==0.22.1"]);
  });

  it("adds requirements, replaces those of the same distribution, merges variables and knobs", async () => {
    const [row] = await tuned(
      `, title: Tuned, requires: [six, "fast.server==2.0"], env: { A: "1" }, ready-timeout: 5, knobs: { workers: 3, extra: { args: [--extra, "{value}"], default: 7 } }`,
    );
    expect(row?.environment.requires).toEqual(["uvloop==0.22.1", "six", "fast.server==2.0"]);
    expect(row?.server).toMatchObject({ title: "Tuned", env: { A: "1" }, readyTimeoutSec: 5 });
    expect(row?.server.command.join(" ")).toBe(
      "fast --bind {host}:{port} --workers 3 --http 1 --extra 7 --interface asgi app:app",
    );
  });

  it("shows no knob that its own command has no place for", async () => {
    const [row] = await tuned(`, command: [own, --loops, "{loop}", "{target}"], knobs: { loop: uvloop }`);
    expect(row?.server.command).toEqual(["own", "--loops", "uvloop", "app:app"]);
    expect(row?.knobs).toEqual({ loop: "uvloop" });
  });

  it.each([
    [
      `, command: [own, "{target}"], knobs: { workers: 2 }`,
      "",
      /servers\.yml:2: servers\.tuned\.knobs\.workers: the command of the server has no place for it: give it the element "{knobs}", or {workers} where the value belongs$/,
    ],
    [
      `, command: [own, "{target}"]`,
      ", knobs: { workers: 2 }",
      /mine\.yml:3: rows\[0\]: knob "workers" of server "tuned": the command of the server has no place for it: give it the element "{knobs}", or {workers} where the value belongs$/,
    ],
    [
      `, command: [own, "{target}"]`,
      ", matrix: { loop: [asyncio] }",
      /mine\.yml:3: rows\[0\]: knob "loop" of server "tuned"/,
    ],
    [
      `, unix: [own, --uds, "{socket}"], command: [own, "{knobs}"]`,
      ", unix-socket: true, knobs: { workers: 2 }",
      /mine\.yml:3: rows\[0\]: knob "workers" of server "tuned"/,
    ],
    [
      `, knobs: { depth: { default: 1 } }`,
      ", knobs: { depth: 2 }",
      /mine\.yml:3: rows\[0\]: knob "depth" of server "tuned": the command of the server has no place for it: give it {depth}/,
    ],
  ])("is refused where a knob never reaches its command: %s%s", async (server, row, message) => {
    const servers = `servers:\n  tuned: { extends: fast${server} }\n`;
    const rows = ROWS.replace("request: hello", `request: hello${row}`);
    await expect(rowsOf({ "servers.yml": servers, "mine.yml": rows })).rejects.toThrow(message);
  });

  it("may be extended itself, in any order of the file", async () => {
    const servers = `servers:
  tuned: { extends: middle, env: { B: "2" } }
  middle: { extends: fast, env: { A: "1", B: "1" }, requires: [six] }
`;
    const [row] = await rowsOf({ "servers.yml": servers, "mine.yml": ROWS });
    expect(row?.server.env).toEqual({ A: "1", B: "2" });
    expect(row?.environment.requires).toContain("six");
  });

  it.each([
    [
      "servers:\n  tuned: { extends: tuned }\n",
      /servers\.yml:2: servers\.tuned\.extends: tuned extends tuned: a circle/,
    ],
    [
      "servers:\n  one:\n    extends: two\n  two:\n    extends: one\n",
      /servers\.yml:5: servers\.two\.extends: one extends two extends one: a circle; one of them must be complete$/,
    ],
    [
      "servers:\n  tuned:\n    extends: fats\n",
      /servers\.yml:3: servers\.tuned\.extends: unknown server "fats"; did you mean "fast"\? Servers: fast, tuned$/,
    ],
    [
      "servers:\n  tuned:\n    extends: fast\n    knobs: { worker: 3 }\n",
      /servers\.yml:4: servers\.tuned\.knobs\.worker: unknown knob "worker"; did you mean "workers"\?/,
    ],
    [
      "servers:\n  tuned: { extends: fast, titel: X }\n",
      /servers\.yml:2: servers\.tuned\.titel: unknown field "titel"; did you mean "title"\? Fields: .*extends/,
    ],
    ["servers:\n  tuned: { title: X }\n", /servers\.yml:2: servers\.tuned\.distribution: is missing/],
  ])("is refused: %j", async (servers, message) => {
    await expect(rowsOf({ "servers.yml": servers, "mine.yml": ROWS })).rejects.toThrow(message);
  });
});

describe("a set that extends another one", () => {
  const BASE = `title: Base
description: What it compares.
columns: [rps]
defaults: { server: fast, interface: asgi, request: hello, knobs: { workers: 2 }, env: { A: "1" } }
rows:
  - { title: A }
  - { title: B, connections: 8 }
`;

  it("has its rows and defaults first; its own fields replace", async () => {
    const own = `extends: base\ntitle: Mine\ndefaults: { knobs: { loop: uvloop }, connections: 4 }\nrows:\n  - { title: C, request: echo }\n`;
    const rows = await rowsOf({ "base.yml": BASE, "mine.yml": own });
    expect(rows.map(({ id, connections, request }) => [id, connections, request.name])).toEqual([
      ["mine/a", [4], "hello"],
      ["mine/b", [8], "hello"],
      ["mine/c", [4], "echo"],
    ]);
    expect(rows[0]?.knobs).toMatchObject({ workers: 2, loop: "uvloop" });
    expect(rows[0]?.server.env).toEqual({ A: "1" });
  });

  it("needs no rows", async () => {
    expect(await rowsOf({ "base.yml": BASE, "mine.yml": "extends: base\n" })).toHaveLength(2);
  });

  it("leaves the extended set as it is", async () => {
    const rows = await rowsOf(
      { "base.yml": BASE, "mine.yml": "extends: base\ndefaults: { connections: 4 }\n" },
      "base",
    );
    expect(rows.map(({ connections }) => connections)).toEqual([[64], [8]]);
  });

  it.each([
    ["extends: bas\n", /mine\.yml:1: extends: unknown set "bas"; did you mean "base"\?/],
    ["extends: mine\n", /mine\.yml:1: extends: mine extends mine: a circle/],
    ["title: X\n", /mine\.yml:1: rows: is missing/],
    [
      "extends: base\nrows:\n  - { title: A }\n",
      /mine\.yml:3: rows\[0\]: the row's id "mine\/a" is taken by .*base\.yml:6: rows\[0\]/,
    ],
  ])("is refused: %j", async (own, message) => {
    await expect(rowsOf({ "base.yml": BASE, "mine.yml": own })).rejects.toThrow(message);
  });
});

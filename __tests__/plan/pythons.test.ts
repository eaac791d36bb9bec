/** Sets that run under several Pythons. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { needsPythons, planRun } from "../../src/plan/plan.js";
import { pythonsOf } from "../../src/plan/pythons.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { SERVERS, scenarioFolder, toolFolder } from "../support/scenarios.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OPTIONS = { cwd: "/", profile: "standard", cores: 4, selectors: [] };
const found = ["3.13", "3.10", "3.14t", "3.14", "pypy3.11"].map((label) => ({ label, request: `/usr/bin/${label}` }));

describe("pythonsOf", () => {
  test("a set of one Python, all in order, and those that are named", () => {
    expect(pythonsOf(undefined, found, undefined)).toEqual([undefined]);
    const all = pythonsOf("all", found, undefined);
    expect(all.map((python) => python?.label)).toEqual(["3.10", "3.13", "3.14", "3.14t", "pypy3.11"]);
    expect(pythonsOf(["3.13", "3.9"], found, undefined)).toEqual([
      { label: "3.13", request: "/usr/bin/3.13" },
      { label: "3.9", request: "3.9" },
    ]);
    expect(pythonsOf("all", [], "/opt/python")).toEqual([{ label: "3", request: "/opt/python" }]);
  });
});

describe("a set over Pythons", () => {
  const planned = async (pythons: string) => {
    const set = `title: Mine\npythons: ${pythons}\nrows:
  - { title: "A {python}", server: fast, interface: asgi, request: hello }
  - { title: B, server: fast, interface: wsgi, request: hello }`;
    const root = await toolFolder({ "servers.yml": SERVERS, "mine.yml": set });
    return (await planRun({ ...OPTIONS, root, python: "3.12", pythons: found.slice(0, 2) })).sets[0]?.rows ?? [];
  };
  test("has its rows under each, distinguished by a knob and the id", async () => {
    const rows = await planned("all");
    expect(rows.map(({ id, title, knobs, environment }) => [id, title, knobs.python, environment.python])).toEqual([
      ["mine/a-3-10-python-3-10", "A 3.10", "3.10", "/usr/bin/3.10"],
      ["mine/b-python-3-10", "B", "3.10", "/usr/bin/3.10"],
      ["mine/a-3-13-python-3-13", "A 3.13", "3.13", "/usr/bin/3.13"],
      ["mine/b-python-3-13", "B", "3.13", "/usr/bin/3.13"],
    ]);
  });
  test("takes versions in quotes", async () => {
    expect((await planned('["3.10", "3.14t"]')).map((row) => row.environment.python)).toEqual([
      ...["/usr/bin/3.10", "/usr/bin/3.10", "3.14t", "3.14t"],
    ]);
    await expect(planned("[3.10]")).rejects.toThrow(/mine\.yml:2: pythons/);
    await expect(planned('["2.7"]')).rejects.toThrow(/a version in quotes, such as "3\.13"/);
  });
});

test("the Pythons of the machine are looked for only where a selected set needs them", async () => {
  const needs = (...selectors: string[]) => needsPythons({ root: ROOT, selectors });
  expect(await needs("interfaces", "vs-*", "http2/*")).toBe(false);
  for (const selector of ["python-versions", "*", "python-versions/rsgi-*", "*/rsgi-*"])
    expect(await needs(selector)).toBe(true);
  expect(await needs()).toBe(true);
  const scenarios = await scenarioFolder({ "own.yml": "title: Own\nrows: [{title: a}]" });
  expect(await needsPythons({ root: ROOT, scenarios, selectors: ["own"] })).toBe(false);
});

test("python-versions holds the rows of interfaces", async () => {
  const { sets } = await planRun({ ...OPTIONS, root: ROOT });
  const rows = (name: string) => sets.find((set) => set.name === name)?.rows.map(comparable);
  expect(rows("python-versions")).toEqual(rows("interfaces"));
});

function comparable({ title, request, server, connections }: PlannedRow) {
  return { title, request, command: server.command, connections };
}

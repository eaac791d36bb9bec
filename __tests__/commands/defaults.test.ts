/** What a checkout says of what is measured: on the command line and in the action the same. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { INPUT_NAMES } from "../../src/actions/inputs.js";
import { withDefaults } from "../../src/commands/defaults.js";
import { openDisplay } from "../../src/commands/display.js";
import { parseArguments, repeatOf, withChosen } from "../../src/commands/options.js";
import { planHead } from "../../src/commands/run/head-plan.js";
import { COMMAND_LINE } from "../../src/plan/option-names.js";
import { ROOT } from "../support/own-set.js";
import { writeFiles } from "../support/repository.js";

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const SET = "title: Mine\nrows: [{ title: A, server: uvicorn, interface: asgi, request: get-10k }]\n";
const UVICORN = '[project]\nname = "uvicorn"\n';

interface Given {
  readonly selectors?: readonly string[];
  readonly servers?: readonly string[];
  readonly scenarios?: string;
}
const GIVEN = { selectors: [], servers: [], profile: "standard" };
const choose = async (files: Readonly<Record<string, string>>, given: Given = {}, names = INPUT_NAMES) => {
  writeFiles(cwd, files);
  return await withDefaults({ ...GIVEN, ...given }, { root: ROOT, cwd }, names);
};

it.each([
  ["benchmarks", { "benchmarks/mine.yml": SET }],
  [
    ".server-bench",
    { ".server-bench/mine.yml": SET, "benchmarks/compose.yml": "services: {}\n", "benchmarks/x.py": "" },
  ],
])("takes all sets of %s", async (folder, files) => {
  expect(await choose(files)).toMatchObject({ scenarios: join(cwd, folder), selectors: ["mine"], servers: [] });
});

it("takes the folder that is named, and rows that are named", async () => {
  const files = { "benchmarks/mine.yml": SET, "other/others.yml": SET };
  expect(await choose(files, { scenarios: join(cwd, "other") })).toMatchObject({ selectors: ["others"] });
  expect(await choose(files, { selectors: ["http2"] })).toMatchObject({ selectors: ["http2"], notes: [] });
});

it("tells the error of a set that cannot be read", async () => {
  const files = { "benchmarks/servers.yml": "servers: {}\n", "benchmarks/mine.yml": "title: Mine\nrow: []\n" };
  await expect(choose(files)).rejects.toThrow(/mine\.yml/);
});

it("takes some rows of the server that the checkout is the source of, and the server from it", async () => {
  const { selectors, servers, notes } = await choose({ "pyproject.toml": UVICORN });
  expect(servers).toEqual(["uvicorn=."]);
  expect(selectors).toContain("vs-asgi/uvicorn-h11-get-10kb");
  expect(notes).toHaveLength(2);
});

it("takes that server also for rows that are named, and for own sets", async () => {
  const named = await choose({ "pyproject.toml": UVICORN }, { selectors: ["vs-asgi"] });
  expect(named).toMatchObject({ selectors: ["vs-asgi"], servers: ["uvicorn=."] });
  const own = await choose({ "pyproject.toml": UVICORN, "benchmarks/mine.yml": SET });
  expect(own).toMatchObject({ selectors: ["mine"], servers: ["uvicorn=."] });
});

it("takes all servers of the checkout's distribution that the rows run", async () => {
  const both = `${SET.replace("}]", "}, { title: B, server: uvicorn-zttp, interface: asgi, request: get-10k }]")}`;
  const { servers, notes } = await choose({ "pyproject.toml": UVICORN, "benchmarks/mine.yml": both });
  expect(servers).toEqual(["uvicorn=.", "uvicorn-zttp=."]);
  expect(notes).toEqual([
    "This is a checkout of uvicorn: uvicorn and uvicorn-zttp are installed from it (servers uvicorn=. servers uvicorn-zttp=.).",
  ]);
});

it("takes the checkout's own description of a server before the built-in one", async () => {
  const mine =
    "servers: { mine: { title: M, distribution: uvicorn, requires: [uvicorn], interfaces: [asgi], command: [uvicorn] } }\n";
  const set = SET.replace("server: uvicorn", "server: mine");
  const files = { "pyproject.toml": UVICORN, "benchmarks/mine.yml": set, "benchmarks/servers.yml": mine };
  expect(await choose(files)).toMatchObject({ servers: ["mine=."] });
});

it("takes the rows of the server that is named", async () => {
  const { selectors, servers } = await choose({ "pyproject.toml": UVICORN }, { servers: ["hypercorn=0.17.0"] });
  expect(servers).toEqual(["hypercorn=0.17.0"]);
  expect(selectors[0]).toBe("vs-asgi/hypercorn-get-10kb");
});

it("ends in a workflow where a checkout says nothing, and takes the usual set on the command line", async () => {
  await expect(choose({ "pyproject.toml": '[project]\nname = "shop"\n' })).rejects.toThrow(
    "nothing says what to measure",
  );
  expect(await choose({}, {}, COMMAND_LINE)).toMatchObject({
    selectors: ["interfaces"],
    servers: [],
    notes: [expect.stringContaining("so interfaces is measured")],
  });
});

it.each([
  [
    ["."],
    [
      "servers uvicorn=. has no effect: no selected benchmark runs uvicorn. For one that does, name them in the input scenarios.",
    ],
  ],
  [[], ["This is a checkout of uvicorn: uvicorn is installed from it (servers uvicorn=.)."]],
])("says what a server that is named has no effect on: %j", async (servers, notes) => {
  writeFiles(cwd, { "pyproject.toml": UVICORN });
  const output = { write: () => {} };
  const context = { root: ROOT, cwd, env: {}, stdout: output, stderr: output };
  const options = { ...GIVEN, selectors: ["interfaces"], servers, out: join(cwd, "out"), failOn: "never" } as const;
  expect((await planHead(options, INPUT_NAMES, context, openDisplay(output, {}).setup)).notes).toEqual(notes);
});

it("is part of the command that repeats a run", async () => {
  const chosen = await choose({ "pyproject.toml": UVICORN, "benchmarks/mine.yml": SET }, {}, COMMAND_LINE);
  const parsed = parseArguments(["run", "--profile", "quick"]);
  if (!("positionals" in parsed)) throw new Error("no command");
  expect(repeatOf(withChosen(parsed, chosen, cwd), "cli.js")).toEqual([
    "node",
    "cli.js",
    "run",
    "mine",
    "--profile",
    "quick",
    "--server",
    "uvicorn=.",
    "--scenarios",
    "benchmarks",
  ]);
});

/** What an app of servers.yml becomes: an installation, a preparation, a Python, variables. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planRun } from "../../src/plan/plan.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { isIdenticalOnBothSides } from "../../src/provision/sides/identical.js";
import { SERVERS, scenarioFolder, toolFolder } from "../support/scenarios.js";

const SERVICES = `services:
  cache: { command: [cache, "{port}"] }
  search: { command: [search], ready: { http: /health }, timeout: 5, env: { A: "1" } }
`;

interface Options {
  readonly python?: string;
  readonly servers?: readonly string[];
  /** Fields of the row. */
  readonly row?: string;
  /** The tool's own servers.yml. */
  readonly builtIn?: string;
}

async function planned(fields: string, options: Options = {}): Promise<{ row: PlannedRow; folder: string }> {
  const { row = "", builtIn = SERVERS, ...rest } = options;
  const root = await toolFolder({ "servers.yml": builtIn });
  const scenarios = await scenarioFolder({
    "servers.yml": `${SERVICES}apps:\n  shop:\n    interface: asgi\n    path: .\n${fields}`,
    "mine.yml": `title: Mine\nrows:\n  - { title: A, server: fast, app: shop, request: hello${row} }\n`,
  });
  const plan = await planRun({ root, cwd: root, scenarios, selectors: ["mine"], profile: "quick", cores: 2, ...rest });
  const [found] = plan.sets.flatMap(({ rows }) => rows);
  if (!found) throw new Error("no row");
  return { row: found, folder: scenarios };
}

describe("an app", () => {
  it("has a Python, which the command line's replaces", async () => {
    const fields = '    python: "3.13"\n';
    expect((await planned(fields)).row.environment.python).toBe("3.13");
    expect((await planned(fields, { python: "3.12" })).row.environment.python).toBe("3.12");
  });

  it.each([
    [
      "as a function with the server's arguments for it",
      "web:create_app()",
      "fast --make --interface asgi web:create_app",
    ],
    ["as an object without them", "web:app", "fast --interface asgi web:app"],
  ])("is named %s", async (_, target, command) => {
    const factory = SERVERS.replace("    knobs:\n", "    factory: [--make]\n    knobs:\n");
    const { row } = await planned(`    target: ${target}\n`, { builtIn: factory });
    expect(row.server.command.join(" ").replace(/--bind \S+ --workers 1 --http 1 /, "")).toBe(command);
    expect(row.server.target).toBe(target);
  });

  it("is refused as a function where the command has no place for the server's arguments", async () => {
    const factory = SERVERS.replace("    knobs:\n", "    factory: [--make]\n    knobs:\n").replace('"{knobs}", ', "");
    await expect(planned("    target: web:create_app()\n", { builtIn: factory })).rejects.toThrow(
      /"web:create_app\(\)" is a function: the command of server "fast" has no element "{knobs}", which --make would follow/,
    );
    const own = factory.replace("--bind", "--make, --bind");
    const { row } = await planned("    target: web:create_app()\n", { builtIn: own });
    expect(row.server.command.join(" ")).toContain("fast --make --bind");
  });

  it("keeps the parentheses of a function where the server has no arguments for it", async () => {
    const { row } = await planned("    target: web:create_app()\n");
    expect(row.server.command.at(-1)).toBe("web:create_app()");
  });

  it("has variables, which the row's replace", async () => {
    const { row } = await planned('    env: { A: "1", B: "1" }\n', { row: ', env: { B: "2" }' });
    expect(row.server.env).toEqual({ A: "1", B: "2" });
  });

  it("is installed from files of its folder", async () => {
    const install =
      "    install: { requirements: [a.txt, sub/b.txt], lock: uv.lock, project: ., extras: [x], groups: [y] }\n";
    const { row, folder } = await planned(install);
    const at = (field: string) => `${join(folder, "servers.yml")}:8: apps.shop.install.${field}`;
    expect(row.environment.install).toEqual({
      ...{ app: "shop", folder, extras: ["x"], groups: ["y"], editable: false },
      requirements: [
        { path: join(folder, "a.txt"), at: at("requirements[0]") },
        { path: join(folder, "sub/b.txt"), at: at("requirements[1]") },
      ],
      lock: { path: join(folder, "uv.lock"), at: at("lock") },
      project: { path: folder, at: at("project") },
    });
    expect(row.environment.chosen).toBeUndefined();
    const chosen = await planned(install, { servers: ["fast=2.0"] });
    expect(chosen.row.environment.chosen).toEqual(["fast-server"]);
  });

  it("has requirements of its own, whose version of the server gives way to the command line's", async () => {
    const requires = '    requires: ["Fast.Server[x]==1.5", "setuptools<81"]\n';
    const { environment } = (await planned(requires)).row;
    expect(environment.own).toEqual(["Fast.Server[x]==1.5", "setuptools<81"]);
    expect(environment.requires.slice(-2)).toEqual(environment.own);
    const chosen = (await planned(requires, { servers: ["fast=2.0"] })).row.environment;
    expect(chosen.requires).toContain("Fast_Server[extra]==2.0");
    expect(chosen.own).toEqual(["Fast.Server[x]", "setuptools<81"]);
  });

  it("has variables with what is known when it is prepared", async () => {
    const data = await planned('    env: { URL: "sqlite:///{SERVER_BENCH_DATA}/db" }\n');
    expect(data.row.preparation).toMatchObject({ services: [], before: [] });
    const cache = '    env: { URL: "redis://{SERVICE_CACHE_HOST}:{SERVICE_CACHE_PORT}/0" }\n';
    expect((await planned(`${cache}    services: [cache]\n`)).row.preparation?.services).toHaveLength(1);
    await expect(planned(cache)).rejects.toThrow(
      /servers\.yml:8: apps\.shop\.env\.URL: unknown placeholder "SERVICE_CACHE_HOST"; .*SERVER_BENCH_DATA$/,
    );
  });

  it("has variables with what the server's command can have; other braces are its own", async () => {
    const env = `{ ADDRESS: "{host}:{port}", APP: "{target}", JSON: '{"a": {b}}' }`;
    const { row } = await planned(`    target: web:app\n    env: ${env}\n`);
    expect(row.server.env).toMatchObject({ ADDRESS: "{host}:{port}", APP: "web:app", JSON: '{"a": {b}}' });
  });

  it("has a folder for data where a variable of the row names it", async () => {
    const { row } = await planned("", { row: ', env: { DATA: "{SERVER_BENCH_DATA}" }' });
    expect(row.preparation).toMatchObject({ services: [], before: [] });
  });

  it("has services and commands", async () => {
    const { row, folder } = await planned(
      "    services: [search]\n    before: [[python, seed.py]]\n    before-timeout: 7\n",
    );
    expect(row.preparation).toEqual({
      services: [
        {
          ...{ name: "search", command: ["search"], env: { A: "1" }, folder, timeoutSec: 5 },
          ready: { kind: "http", path: "/health" },
          at: `${join(folder, "servers.yml")}:3: services.search`,
        },
      ],
      before: [["python", "seed.py"]],
      beforeAt: `${join(folder, "servers.yml")}:9: apps.shop.before`,
      beforeTimeoutSec: 7,
    });
    expect((await planned("")).row.preparation).toBeUndefined();
  });

  it.each([
    [
      "    install: { extras: [a] }\n",
      /servers\.yml:8: apps\.shop\.install\.extras: extras belong to a lock or a project/,
    ],
    [
      "    install: { groups: [a] }\n",
      /install\.groups: dependency groups belong to a lock or a project: add one of them$/,
    ],
    ["    install: {}\n", /apps\.shop\.install: names nothing to install: give requirements, lock or project$/],
    [
      "    install: { lock: uv.lock, editable: true }\n",
      /install\.editable: only a project is installed editable: add project$/,
    ],
    ["    install: { lock: Pipfile.lock }\n", /install\.lock: got "Pipfile\.lock", expected /],
    [
      "    services: [cashe]\n",
      /servers\.yml:8: apps\.shop\.services\[0\]: unknown service "cashe"; did you mean "cache"\?/,
    ],
    ["    before: [migrate]\n", /apps\.shop\.before\[0\]: got "migrate", expected a list$/],
    ["    python: 3.13\n", /apps\.shop\.python: got 3\.13, expected string$/],
  ])("is refused: %j", async (fields, message) => {
    await expect(planned(fields)).rejects.toThrow(message);
  });
});

describe("both sides are identical", () => {
  const fields = "    install: { requirements: [a.txt] }\n    services: [cache]\n    before: [[python, seed.py]]\n";
  async function side(requirements: string, change = (text: string) => text): Promise<PlannedRow> {
    const { row, folder } = await planned(change(fields));
    const app = join(folder, "app");
    mkdirSync(app);
    writeFileSync(join(folder, "a.txt"), requirements);
    // The scenario files differ in nothing but their folder.
    return { ...row, server: { ...row.server, cwd: app } };
  }

  /** The folders are in no checkout. */
  const isIdentical = (base: PlannedRow, head: PlannedRow) =>
    isIdenticalOnBothSides(base, head, { hasSameFiles: async () => true });

  it("where files, commands and services are", async () => {
    expect(await isIdentical(await side("six==1.16.0\n"), await side("six==1.16.0\n"))).toBe(true);
  });

  it("and not where the requirements, a command or a service differ", async () => {
    const base = await side("six==1.16.0\n");
    expect(await isIdentical(base, await side("six==1.17.0\n"))).toBe(false);
    const other = (from: string, to: string) => side("six==1.16.0\n", (text) => text.replace(from, to));
    expect(await isIdentical(base, await other("seed.py", "fill.py"))).toBe(false);
    expect(await isIdentical(base, await other("cache", "search"))).toBe(false);
    expect(await isIdentical(base, await side("-r missing.txt\n"))).toBe(false);
  });
});

/** What `init` writes: files that the plan reads, with the paths where they belong. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { appName, type Choice, routeName } from "../../src/init/choice.js";
import type { Dependencies } from "../../src/init/dependencies.js";
import { renderServersFile, renderSetFile } from "../../src/init/render.js";
import { renderHardenedWorkflow, renderWorkflow, workflowFile } from "../../src/init/workflow.js";
import { parseServersFile, parseSetFile } from "../../src/plan/files.js";
import { ROOT } from "../support/workflows.js";

const CHOICE: Choice = {
  name: "shop",
  title: "Shop",
  app: { interface: "wsgi", folder: "src", target: "shop:create_app()", env: { MODE: "bench" } },
  server: { name: "gunicorn", knobs: { threads: 4 } },
  dependencies: dependencies({ kind: "none" }),
  python: undefined,
  before: [],
  routes: [
    { name: "home", path: "/", headers: {}, status: undefined },
    { name: "gone", path: "/gone", headers: { host: "shop.example" }, status: 404 },
  ],
};

function dependencies(source: Dependencies["source"]): Dependencies {
  const added = [{ name: "extra", text: "extra==1", at: "--requires" }];
  return { source, requirements: [], added, locked: new Map(), python: undefined, unread: [] };
}

it("is read as it is written", () => {
  const servers = parseServersFile(renderServersFile(CHOICE, ".."), "servers.yml").value;
  expect(servers.apps.shop).toMatchObject({
    ...{ interface: "wsgi", path: "../src", target: "shop:create_app()" },
    ...{ requires: ["extra==1"], env: { MODE: "bench" } },
  });
  expect(servers.requests).toMatchObject({
    home: { path: "/" },
    gone: { path: "/gone", headers: { host: "shop.example" }, expect: { status: 404 } },
  });
  const set = parseSetFile(renderSetFile(CHOICE), "shop.yml").value;
  expect(set).toMatchObject({
    defaults: { app: "shop", interface: "wsgi", server: "gunicorn", knobs: { threads: 4 } },
    rows: [
      { title: "/", request: "home" },
      { title: "/gone", request: "gone" },
    ],
  });
});

describe("connections", () => {
  const wsgi = CHOICE.app;
  const asgi = { ...wsgi, interface: "asgi" } as const;
  it.each<[string, Pick<Choice, "app" | "server">, number]>([
    ["threads", { app: wsgi, server: { name: "gunicorn", knobs: { threads: 4 } } }, 16],
    ["processes", { app: wsgi, server: { name: "uwsgi", knobs: {} } }, 16],
    ["greenlets of gunicorn", { app: wsgi, server: { name: "gunicorn", knobs: { worker: "gevent" } } }, 64],
    ["greenlets of uWSGI", { app: wsgi, server: { name: "uwsgi-gevent", knobs: { "async-cores": 100 } } }, 64],
    ["an event loop", { app: asgi, server: { name: "uvicorn", knobs: {} } }, 64],
  ])("are as many as %s can make use of", (_, change, connections) => {
    expect(parse(renderSetFile({ ...CHOICE, ...change })).defaults.connections).toBe(connections);
  });
});

describe("what each side installs from its own files, relative to the app's folder", () => {
  it.each<[Dependencies["source"], string, object | undefined]>([
    [{ kind: "none" }, "", undefined],
    [{ kind: "requirements", file: "requirements/prod.txt" }, "", { requirements: ["requirements/prod.txt"] }],
    [{ kind: "requirements", file: "requirements.txt" }, "src/web", { requirements: ["../../requirements.txt"] }],
    [{ kind: "lock", file: "uv.lock", installable: false }, "", { lock: "uv.lock" }],
    [{ kind: "lock", file: "uv.lock", installable: true }, "src", { lock: "../uv.lock", project: ".." }],
    [{ kind: "project", file: "pyproject.toml" }, "", { project: "." }],
    [{ kind: "project", file: "backend/pyproject.toml" }, "backend/src", { project: ".." }],
    [{ kind: "requirements", file: "src/requirements.txt" }, "src", { requirements: ["requirements.txt"] }],
  ])("%j in %j", (source, folder, install) => {
    const choice = { ...CHOICE, app: { ...CHOICE.app, folder }, dependencies: dependencies(source) };
    expect(parse(renderServersFile(choice, "..")).apps.shop.install).toEqual(install);
  });
});

describe("the workflow of one job", () => {
  const example = readFileSync(join(ROOT, "examples/pull-request.yml"), "utf8");

  it("is the example as it is: the folder benchmarks needs no input", () => {
    expect(renderWorkflow(example, { name: "mine", folder: "" }).replace(/^#.*\n/, "")).toBe(
      example.replace(/^(#.*\n)+/, ""),
    );
  });

  it("of a project in a folder of its repository names that folder, and its comment and check are its own", () => {
    const { name, jobs } = parse(renderWorkflow(example, { name: "mine", folder: "services/# mine" }));
    expect([name, jobs.benchmark.name]).toEqual(["Benchmark mine", "Benchmark mine"]);
    expect(jobs.benchmark.steps.at(-1).with).toEqual({
      "scenarios-dir": "services/# mine/benchmarks",
      "comment-key": "mine",
    });
  });
});

describe("the workflow of two jobs", () => {
  const example = readFileSync(join(ROOT, "examples/app.yml"), "utf8");

  it("is the example, with the set's name and the Python of the trial", () => {
    const place = { name: "mine", python: "3.14.0rc1", folder: "" };
    const workflow = renderHardenedWorkflow(example, place);
    expect(workflowFile(place)).toBe(".github/workflows/benchmark.yml");
    expect(workflow.replace(/^#.*\n/, "")).toBe(
      example
        .replace(/^(#.*\n)+/, "")
        .replace("scenarios: shop", "scenarios: mine")
        .replace('python-version: "3.13"', 'python-version: "3.14"'),
    );
  });

  it("of a project in a folder of its repository names that folder, and its comment and checks are its own", () => {
    const place = { name: "mine", python: "3.13.1", folder: "services/# mine" };
    const workflow = parse(renderHardenedWorkflow(example, place));
    expect(workflowFile(place)).toBe(".github/workflows/benchmark-mine.yml");
    expect(workflow.name).toBe("Benchmark mine");
    const { measure, report } = workflow.jobs;
    expect([measure.name, report.name]).toEqual(["Measure mine", "Report mine"]);
    const dir = "services/# mine/benchmarks";
    expect(measure.steps.at(-1).with).toMatchObject({ "scenarios-dir": dir, scenarios: "mine", "comment-key": "mine" });
    expect(measure.steps.at(-1).with.comment).toBe(false);
    expect(report.steps[0].with).toEqual({ command: "report", "comment-key": "mine" });
  });
});

it("names are those of sets, and not taken", () => {
  expect(appName("My_Shop 2", new Set())).toBe("my-shop-2");
  expect(appName("flask", new Set(["flask"]))).toBe("flask-app");
  expect(appName("___", new Set())).toBe("app");
  expect(["/", "/items/1?q=x", "/items-1"].map((path) => routeName(path, new Set()))).toEqual([
    "home",
    "items-1-q-x",
    "items-1",
  ]);
  expect(routeName("/", new Set(["home"]))).toBe("home-2");
});

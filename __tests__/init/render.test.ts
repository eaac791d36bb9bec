/** What `init` writes: files that the plan reads, with the paths where they belong. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { appName, type Choice, routeName } from "../../src/init/choice.js";
import type { Dependencies } from "../../src/init/dependencies.js";
import { renderServersFile, renderSetFile } from "../../src/init/render.js";
import { renderWorkflow } from "../../src/init/workflow.js";
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

describe("what each side installs from its own files, relative to the app's folder", () => {
  it.each<[Dependencies["source"], string, object | undefined]>([
    [{ kind: "none" }, "", undefined],
    [{ kind: "requirements", file: "requirements/prod.txt" }, "", { requirements: ["requirements/prod.txt"] }],
    [{ kind: "requirements", file: "requirements.txt" }, "src/web", { requirements: ["../../requirements.txt"] }],
    [{ kind: "lock", file: "uv.lock", installable: false }, "", { lock: "uv.lock" }],
    [{ kind: "lock", file: "uv.lock", installable: true }, "src", { lock: "../uv.lock", project: ".." }],
    [{ kind: "project", file: "pyproject.toml" }, "", { project: "." }],
  ])("%j in %j", (source, folder, install) => {
    const choice = { ...CHOICE, app: { ...CHOICE.app, folder }, dependencies: dependencies(source) };
    expect(parse(renderServersFile(choice, "..")).apps.shop.install).toEqual(install);
  });
});

it("the workflow is the example, with the set's name", () => {
  const example = readFileSync(join(ROOT, "examples/app.yml"), "utf8");
  const workflow = renderWorkflow(example, "mine");
  const steps = parse(workflow).jobs.measure.steps;
  expect(steps.at(-1).with).toMatchObject({ "scenarios-dir": "benchmarks", scenarios: "mine" });
  expect(workflow.replace(/^#.*\n/, "")).toBe(
    example.replace(/^(#.*\n)+/, "").replace("scenarios: shop", "scenarios: mine"),
  );
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

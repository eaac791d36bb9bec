/** `init` on an app, then the comparison that it proposes. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { fastapi, runInit } from "../support/init.js";
import { runIn } from "../support/own-set.js";
import { commit, newRepository } from "../support/repository.js";

const temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
afterAll(() => rmSync(temp, { recursive: true, force: true }));

it("finds app, server and pages of a FastAPI project, and two commits are compared", async () => {
  const files = {
    "shop/__init__.py": "",
    "requirements.txt": "fastapi\nuvicorn\n",
    Procfile: "web: uvicorn shop.main:app\n",
  };
  const project = newRepository(join(temp, "shop"));
  commit(project, { ...files, "shop/main.py": fastapi(1111) });
  commit(project, { "shop/main.py": fastapi(9999) });
  const { code, output, errors } = await runInit({ cwd: project, temp }, "--yes");
  expect(errors).toBe("");
  expect(code).toBe(0);
  expect(output).toMatch(/^app {7}shop\.main:app \(FastAPI, asgi\), shop\/main\.py:3$/m);
  expect(output).toMatch(/^server {4}uvicorn \(loop asyncio, http-parser h11\), Procfile:1$/m);
  expect(output).toMatch(/^ {2}GET \/ +200 +\d+ bytes +application\/json +measured$/m);
  expect(output).toMatch(/^ {2}GET \/v1\/orders\/ +200 +2 bytes +application\/json +measured$/m);
  expect(output).toContain("not measured: /items/{item}. --route PATH measures one");
  expect(output).toMatch(/Try it: +node .*dist\/cli\.js run shop --scenarios benchmarks --base HEAD~1$/m);
  expect(existsSync(join(project, ".github/workflows/benchmark.yml"))).toBe(true);

  const paired = ["--base", "HEAD~1", "--budget", "2", "--profile-rows", "none"];
  const run = await runIn(project, join(temp, "out"), "shop/!(v1*)", "--scenarios", "benchmarks", ...paired);
  expect([run.code, run.errors], run.output).toEqual([0, ""]);
  const { comparison } = await readResults(join(temp, "out/results.json"));
  expect(
    comparison?.rows.map(({ verdict }) => verdict),
    run.output,
  ).toContain("worse");
});

/**
 * Every example of `examples/apps`, measured as its user would. In pairs, where base is the commit before: those whose sides
 * have environments of their own, and gRPC. Other tests compare FastAPI, Django and Litestar's server in pairs.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { provideGhz } from "../../src/provision/generators/ghz.js";
import { readResults } from "../../src/results/read.js";
import { ROOT, runIn } from "../support/own-set.js";
import { commit, newRepository } from "../support/repository.js";
import { needing, testTool } from "../support/tools.js";

const TIMEOUT_MS = 240_000;
const EXAMPLES = join(ROOT, "examples/apps");
const ghz = await testTool(provideGhz);

let temp: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

interface Example {
  /** Head has a comment more in this file, and is compared with base. Default: head alone is measured. */
  readonly changed?: string;
  /** What the environment of both sides holds, among others. */
  readonly packages: readonly string[];
  readonly version: string;
  /** Base has other versions in a file of its own. */
  readonly base?: { readonly file: string; readonly from: string; readonly to: string };
}

const HTTP: Readonly<Record<string, Example>> = {
  "fastapi-uvicorn": { version: "0.54.0", packages: ["fastapi==0.165.0", "uvloop==0.23.0"] },
  "django-gunicorn": { version: "27.0.1", packages: ["django==5.2.19"] },
  "flask-uwsgi": {
    ...{ changed: "app.py", version: "2.0.31", packages: ["flask==3.1.3"] },
    base: { file: "requirements.txt", from: "flask==3.1.3", to: "flask==3.1.2" },
  },
  "starlette-granian": {
    changed: "src/shop/main.py",
    version: "2.8.7",
    packages: ["shop==1.0.0", "starlette==1.10.0"],
  },
  "litestar-granian": { version: "2.8.7", packages: ["litestar==2.25.0"] },
};
const GRPC: Example = { changed: "app.py", version: "1.85.1", packages: ["grpcio==1.85.1"] };

/** A repository with the example in two commits. */
function repositoryOf(name: string, { changed, base }: Example): string {
  const folder = newRepository(join(temp, "checkout"));
  cpSync(join(EXAMPLES, name), folder, { recursive: true });
  const textOf = (file: string) => readFileSync(join(folder, file), "utf8");
  const head = base && { [base.file]: textOf(base.file) };
  commit(folder, base ? { [base.file]: textOf(base.file).replace(base.from, base.to) } : {});
  if (changed !== undefined) commit(folder, { ...head, [changed]: `${textOf(changed)}\n# Changed\n` });
  return folder;
}

async function measured(name: string, example: Example): Promise<void> {
  const folder = repositoryOf(name, example);
  const out = join(temp, "out");
  const inPairs = example.changed === undefined ? [] : ["--base", "HEAD~1", "--budget", "0.6"];
  const args = ["shop", "--scenarios", "benchmarks", "--profile", "quick", ...inPairs];
  const { code, output, errors } = await runIn(folder, out, ...args);
  expect(code, output + errors).toBe(0);
  const { cases, comparison } = await readResults(join(out, "results.json"));
  const sides = example.changed === undefined ? ["head"] : ["base", "head"];
  expect(cases.map(({ side, state }) => [side, state]).sort(), JSON.stringify(cases)).toEqual(
    sides.map((side) => [side, "completed"]),
  );
  for (const { server, side } of cases) {
    const { from = "", to = "" } = (side === "base" && example.base) || {};
    expect(server.version).toBe(example.version);
    expect(server.packages).toEqual(expect.arrayContaining(example.packages.map((one) => (one === from ? to : one))));
  }
  for (const result of cases) if (result.state === "completed") expect(result.summary.failures.total).toBe(0);
  if (example.changed === undefined) return;
  expect(comparison?.rows).toHaveLength(1);
  expect(comparison?.rows[0]?.recorded?.length).toBeGreaterThan(0);
}

describe("examples/apps", () => {
  it("all have a test", () => {
    expect(readdirSync(EXAMPLES).sort()).toEqual([...Object.keys(HTTP), "grpc"].sort());
  });

  it.each(Object.entries(HTTP))("%s", { timeout: TIMEOUT_MS }, async (name, example) => {
    await measured(name, example);
  });

  it.skipIf(ghz.missing !== undefined)(needing("grpc", ghz), { timeout: TIMEOUT_MS }, async () => {
    await measured("grpc", GRPC);
  });
});

/** The repository that live runs compare two builds of: real git, real folders. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Repository } from "../../evaluation/live/repository.js";
import { readLiveRuns } from "../../evaluation/live/runs.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import { ROOT } from "../support/workflows.js";

const run = promisify(execFile);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "live-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function source(module: string): Promise<string> {
  const path = join(folder, "source");
  await mkdir(join(path, module), { recursive: true });
  await writeFile(join(path, module, "__init__.py"), '__version__ = "1"\n');
  // What a source distribution's own .gitignore hides must be in the commits too.
  await writeFile(join(path, ".gitignore"), "*.py\n");
  return path;
}

describe("Repository", () => {
  it.each(["uvicorn", "src/uvicorn"])("has two commits a run that differ in a comment of %s", async (module) => {
    const repository = await Repository.create(join(folder, "repository"), await source(module), "uvicorn");
    const git = async (...args: string[]) => (await run("git", ["-C", repository.folder, ...args])).stdout;
    await repository.commitSides(1);
    await repository.commitSides(2);
    expect((await git("log", "--format=%s")).trim().split("\n")).toEqual([
      ...["Run 2, head", "Run 2, base", "Run 1, head", "Run 1, base", "Source"],
    ]);
    expect((await git("diff", "--name-only", "HEAD~1")).trim()).toBe(`${module}/__init__.py`);
    const changed = (await git("diff", "--unified=0", "HEAD~1")).split("\n").filter((line) => /^[+-][^+-]/.test(line));
    expect(changed).toEqual(["+# run 2, head"]);
    expect(await git("status", "--porcelain")).toBe("");
  });

  it("has a set that the command line can plan with the server from its source", async () => {
    const { folder: cwd } = await Repository.create(join(folder, "repository"), await source("uvicorn"), "uvicorn");
    const plan = await planRun({
      ...{ root: ROOT, cwd, scenarios: join(cwd, "bench"), profile: "quick", cores: 2 },
      ...{ selectors: ["live"], servers: ["uvicorn=."] },
    });
    const rows = rowsOf(plan);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.environment.requires.join(" ")).toContain(cwd);
  });

  it("says where the package is missing", async () => {
    const created = Repository.create(join(folder, "repository"), await source("granian"), "uvicorn");
    await expect(created).rejects.toThrow("neither uvicorn/__init__.py nor src/uvicorn/__init__.py");
  });
});

describe("readLiveRuns", () => {
  it("names the file and the field that is wrong", async () => {
    const file = join(folder, "live.json");
    await writeFile(file, JSON.stringify([{ startedAt: "x", measuredSec: "3", loadShare: 1, rows: [] }]));
    await expect(readLiveRuns(file)).rejects.toThrow("live.json: [0].measuredSec: ");
    await writeFile(file, "[");
    await expect(readLiveRuns(file)).rejects.toThrow("live.json: ");
  });
});

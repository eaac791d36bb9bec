/**
 * As a new user: two commits, `init --yes`, then `run --base HEAD~1`. Head does 10 % more work in each request, and the run
 * finds it. The work is calibrated here, against the CPU time that the app itself needs for a request. docs-commands.test.ts
 * does the same with FastAPI under uvicorn.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readResults } from "../../../src/results/read.js";
import { runInit } from "../../support/init.js";
import { ROOT, runIn } from "../../support/own-set.js";
import { commit, git, newRepository, writeFiles } from "../../support/repository.js";

const TIMEOUT_MS = 300_000;
const PLANTED = 0.1;

type Files = Readonly<Record<string, string>>;

let temp: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => {
  rmSync(temp, { recursive: true, force: true });
});

interface Project {
  /** Without the work. */
  readonly files: Files;
  /** A folder of examples/apps whose files come first. */
  readonly example?: string;
  /** The module of the work. */
  readonly work: string;
  readonly server: RegExp;
}

const workOf = (turns: number) => `def work():\n    sum(range(${turns}))\n`;

const DJANGO: Project = {
  example: "django-gunicorn",
  files: {
    Procfile: "web: gunicorn shop.wsgi --workers 2 --threads 2\n",
    "shop/urls.py": `from django.http import JsonResponse
from django.urls import path

from shop.models import Item
from shop.work import work


def items(request):
    work()
    found = Item.objects.filter(price__lte=100).order_by("id").values("id", "name", "price")
    return JsonResponse({"items": list(found)})


urlpatterns = [path("items", items)]
`,
  },
  work: "shop/work.py",
  server: /^server {4}gunicorn \(threads 2\)/m,
};

/** A repository with two commits that do the same. */
function repositoryOf({ example, files, work }: Project): string {
  const folder = newRepository(join(temp, "shop"));
  if (example !== undefined) {
    cpSync(join(ROOT, "examples/apps", example), folder, { recursive: true });
    rmSync(join(folder, "benchmarks"), { recursive: true });
  }
  commit(folder, { ...files, [work]: workOf(0) });
  commit(folder, {});
  return folder;
}

/** CPU time of a request, from a run of the checkout as it is. */
async function cpuPerRequestUs(folder: string): Promise<number> {
  const out = join(temp, "calibration");
  const run = await runIn(folder, out, "shop", "--scenarios", "benchmarks", "--profile", "quick");
  expect(run.errors).toBe("");
  const [row] = (await readResults(join(out, "results.json"))).cases;
  if (row?.state !== "completed") throw new Error(`not measured: ${row?.state}`);
  return row.summary.cpuPerRequestUs;
}

/** CPU time of one turn of the work in this machine's Python, the least of some tries. */
function cpuPerTurnUs(): number {
  const script = `import time
least = float("inf")
for _ in range(20):
    start = time.process_time()
    for _ in range(50):
        sum(range(5000))
    least = min(least, time.process_time() - start)
print(least / (50 * 5000) * 1e6)
`;
  return Number(execFileSync("python3", ["-c", script], { encoding: "utf8" }));
}

/** Replaces head by a commit whose work takes 10 % of base's CPU time for a request. */
async function calibrate(folder: string, { work }: Project): Promise<void> {
  const needed = Math.round((PLANTED * (await cpuPerRequestUs(folder))) / cpuPerTurnUs());
  if (!Number.isFinite(needed) || needed <= 0) throw new Error(`not calibrated: ${needed} turns`);
  writeFiles(folder, { [work]: workOf(needed) });
  git(folder, "commit", "--quiet", "--amend", "--message", "Do 10 % more", work);
}

describe("10 % more work in each request", () => {
  it.each<[string, Project]>([["Django under gunicorn, with SQLite", DJANGO]])(
    "%s",
    { timeout: TIMEOUT_MS },
    async (_, project) => {
      const folder = repositoryOf(project);
      const init = await runInit({ cwd: folder, temp }, "--yes");
      expect([init.code, init.errors]).toEqual([0, ""]);
      expect(init.output).toMatch(project.server);
      expect(init.output).toMatch(/Try it: .* run shop --scenarios benchmarks --base HEAD~1$/m);
      await calibrate(folder, project);

      const out = join(temp, "out");
      // The lists of functions take half a minute more; profile.test.ts shows them.
      const paired = ["--base", "HEAD~1", "--profile-rows", "none"];
      const run = await runIn(folder, out, "shop", "--scenarios", "benchmarks", ...paired);
      expect(run.errors).toBe("");
      const { comparison } = await readResults(join(out, "results.json"));
      expect(comparison?.rows).toHaveLength(1);
      expect(comparison?.rows[0]).toMatchObject({ verdict: "worse" });
      // evaluation/report.md shows how often a planted change is found.
      expect(comparison?.rows[0]?.metrics.cpuPerRequest?.change).toBeGreaterThan(0);
    },
  );
});

/** A set in shards, from the plan to one report, with real servers: as the jobs of a workflow would do it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import type { Matrix } from "../../src/plan/matrix.js";
import { readResults } from "../../src/results/read.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** An environment is installed, and three rows are measured for a second each. */
const TIMEOUT_MS = 180_000;

async function invoke(...argv: string[]): Promise<string> {
  let [stdout, stderr] = ["", ""];
  const code = await main(argv, {
    ...{ root, cwd: folder, env: process.env },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  expect(code, `${stdout}${stderr}`).toBe(0);
  return stdout;
}

it(
  "measures every row once, and reports them together",
  async () => {
    const rows = ["interfaces/rsgi-bytes", "interfaces/asgi-bytes", "interfaces/wsgi-bytes"];
    const planned = await invoke(
      "plan",
      ...rows,
      "--shards",
      "2",
      "--profile",
      "quick",
      "--plan",
      "plan.json",
      "--json",
    );
    const { include } = JSON.parse(planned) as Matrix;
    expect(include.map(({ shard }) => shard)).toEqual(["1/2", "2/2"]);
    for (const { shard, name, scenarios } of include)
      await invoke("run", scenarios, "--profile", "quick", "--shard", shard, "--out", name, "--json");
    const files = include.map(({ name }) => join(name, "results.json"));
    for (const [i, file] of files.entries()) {
      const { run } = await readResults(join(folder, file));
      expect(run.shard).toEqual({ index: i + 1, of: 2 });
      expect(run.command).toContain("--shard");
    }
    await invoke("report", ...files, "--plan", "plan.json", "--out", "merged");
    const merged = await readResults(join(folder, "merged", "results.json"));
    expect(merged.cases.map(({ id, state }) => [id, state]).sort()).toEqual(rows.map((id) => [id, "completed"]).sort());
    expect(merged.run.missing).toBeUndefined();
    expect(merged.run.parts?.map(({ shard }) => shard?.index)).toEqual([1, 2]);
    // One shard's results are lost on the way.
    writeFileSync(join(folder, "lost.json"), readFileSync(join(folder, files[1] ?? "")));
    await invoke("report", "lost.json", "--plan", "plan.json", "--out", "half");
    const [missing] = (await readResults(join(folder, "half", "results.json"))).run.missing ?? [];
    expect(missing?.shard).toBe("1/2");
    expect(
      [...(missing?.rows ?? []), ...(await readResults(join(folder, "lost.json"))).cases.map(({ id }) => id)].sort(),
    ).toEqual(rows.sort());
  },
  TIMEOUT_MS,
);

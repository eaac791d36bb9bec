/** An error that ends a run loses nothing of what was measured before it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDisplay } from "../../src/commands/display.js";
import { planHead } from "../../src/commands/run/head-plan.js";
import type { RunOptions } from "../../src/commands/run/options.js";
import type { WrittenResults } from "../../src/commands/run/request.js";
import { run } from "../../src/commands/run/run.js";
import { COMMAND_LINE } from "../../src/plan/option-names.js";
import { readResults } from "../../src/results/read.js";
import { tempFolder } from "../support/cli.js";
import { ROOT, waitingApp, waitingScenarios } from "../support/own-set.js";
import { writeFiles } from "../support/repository.js";

it("keeps the rows, writes their report, and says where it is", async () => {
  const cwd = tempFolder();
  const out = join(cwd, "out");
  writeFiles(cwd, { ...waitingScenarios("one", "two"), "one/app.py": waitingApp(), "two/app.py": waitingApp() });
  let output = "";
  const stdout = { write: (text: string) => (output += text) };
  const options: RunOptions = {
    ...{ selectors: ["mine"], profile: "quick", out, scenarios: join(cwd, "bench") },
    ...{ servers: [], failOn: "never" },
  };
  const context = {
    root: ROOT,
    cwd,
    env: { ...process.env, CI: "1", RUNNER_TEMP: tempFolder() },
    stdout,
    stderr: stdout,
  };
  const display = openDisplay(stdout, { CI: "1" });
  const request = {
    ...options,
    against: { kind: "none" } as const,
    head: await planHead(options, COMMAND_LINE, context, display.setup),
    ...{ notes: [], command: ["server-bench", "run"] },
  };
  let stopped: WrittenResults | undefined;
  const ended = run(request, context, display, {
    between: () => Promise.reject(new Error("no such thing")),
    stopped: (written) => {
      stopped = written;
    },
  });
  await expect(ended).rejects.toThrow("no such thing");
  const { cases, run: facts } = await readResults(join(out, "results.json"));
  expect(cases.map(({ id, state }) => [id, state])).toEqual([["mine/one", "completed"]]);
  expect(facts.finishedAt).toBeNull();
  expect(facts.warnings).toContainEqual(
    expect.stringMatching(/^The run stopped \(no such thing\): the benchmarks after it/),
  );
  expect(readFileSync(join(out, "report.md"), "utf8")).toContain("The run stopped");
  expect(existsSync(join(out, "index.html"))).toBe(true);
  expect(stopped?.results.cases).toHaveLength(1);
  expect(output).toContain(`what was measured before is in ${join(out, "results.json")}`);
});

/** The answer of the script that looks at an app: whole, or none. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { appProblem } from "../../src/measure/preparation/app-check.js";
import { importApp, parseAnswer } from "../../src/measure/preparation/app-import.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { testRun } from "../support/run.js";

it("reads a whole answer", () => {
  const answer = { state: "no-callable", type: "int", callables: [] };
  expect(parseAnswer(JSON.stringify(answer))).toEqual(answer);
});

it.each([["" /* the disk was full */], ['{"state": "fou'], ['{"state": "found"}'], ["null"], [undefined]])(
  "takes %j as no answer",
  (text) => {
    expect(parseAnswer(text)).toBeUndefined();
  },
);

it("names the innermost line of the project, and the first error of a chain", { timeout: 60_000 }, async () => {
  await using run = testRun();
  const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  try {
    const web = [
      "import json",
      "def load(): json.loads(1)",
      "try:",
      "    load()",
      "except TypeError as e:",
      "    raise RuntimeError('no settings') from e",
    ];
    writeFileSync(join(folder, "web.py"), `${web.join("\n")}\n`);
    const { server, ...row } = faultyRow("right");
    const own = { ...server, interface: "wsgi", target: "web:app", cwd: folder, env: {} } as const;
    const answer = await importApp({ ...row, server: own }, plainPython(), testContext(run), {
      limitSec: 30,
      routes: false,
    });
    expect(answer).toMatchObject({
      ...{ error: "RuntimeError: no settings", place: "web.py:6" },
      cause: { error: expect.stringMatching(/^TypeError: /), place: "web.py:2" },
    });
    // A server whose command does not name the app does not import it.
    const context = testContext(run);
    const problem = (command: string[]) => appProblem({ ...row, server: { ...own, command } }, plainPython(), context);
    expect(await problem(["sleep", "1"])).toBeUndefined();
    expect(await problem(["serve", "web:app"])).toMatch(
      /^the app does not import: RuntimeError: no settings \(web\.py:6\), caused by/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("imports an app with its places filled in, and makes nothing in its folder", { timeout: 60_000 }, async () => {
  await using run = testRun();
  const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  try {
    const lines = [
      "import os",
      'os.makedirs(os.environ["DATA_DIR"])',
      'open(os.environ["SERVER_BENCH_DATA"] + "/a", "w").close()',
      'port = int(os.environ["PORT"])',
      "def app(environ, start_response): ...",
    ];
    writeFileSync(join(folder, "web.py"), `${lines.join("\n")}\n`);
    const { server, ...row } = faultyRow("right");
    const env = { DATA_DIR: "{SERVER_BENCH_DATA}/own", PORT: "{port}" };
    const own = { ...server, interface: "wsgi", target: "web:app", cwd: folder, env } as const;
    const answer = await importApp({ ...row, server: own }, plainPython(), testContext(run), {
      limitSec: 30,
      routes: false,
    });
    expect(answer).toMatchObject({ state: "found", takes: null });
    expect(readdirSync(folder)).toEqual(["web.py"]);
    expect(readdirSync(run.tempDir).filter((name) => name.startsWith("data-"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The answer of the script that looks at an app: whole, or none. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
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

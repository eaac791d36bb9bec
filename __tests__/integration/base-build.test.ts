/** `--server tiny=.` beside a base: each side is built from its own files, once, and a base that does not build costs head nothing. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProcessContext } from "../../src/commands/process-context.js";
import { type PairedPlan, planPaired } from "../../src/commands/run/base-plan.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import { cacheRoot } from "../../src/provision/cache/cache.js";
import { environmentKey } from "../../src/provision/environments/key.js";
import { provision } from "../../src/provision/provision.js";
import { findBase } from "../../src/provision/sides/sides.js";
import type { ProvisionProgress } from "../../src/provision/types.js";
import { readResults } from "../../src/results/read.js";
import { ROOT, runIn } from "../support/own-set.js";
import { commit, git, newRepository, stateOf, writeFiles } from "../support/repository.js";
import { testRun } from "../support/run.js";

const TIMEOUT_MS = 180_000;

/** Its own build backend, which needs no package index. @param version of the distribution @param end what ends the build */
function backend(name: string, version: string, end = ""): string {
  return `import os
import zipfile


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    ${end === "" ? "" : `raise SystemExit("${end}")`}
    info = "${name}-${version}.dist-info"
    wheel = "${name}-${version}-py3-none-any.whl"
    files = {
        "${name}.py": open("${name}.py").read(),
        f"{info}/METADATA": "Metadata-Version: 2.1\\nName: ${name}\\nVersion: ${version}\\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: own\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\\n" for path in files) + f"{info}/RECORD,,\\n")
    return wheel
`;
}

const SERVER = `import importlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

host, port, target = sys.argv[1:]
module, name = target.split(":")
sys.path.insert(0, ".")
answer = getattr(importlib.import_module(module), name)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        body = answer(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
`;

let temp: string;
let checkout: string;
/** A name of its own, so that nothing of it is in the cache yet. */
let name: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  name = `tiny${temp.slice(-6).toLowerCase()}`;
  checkout = newRepository(join(temp, "checkout"));
  writeFiles(checkout, {
    ".gitignore": "__pycache__/\n",
    "pyproject.toml": `[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "${name}"\ndynamic = ["version"]\n`,
    [`${name}.py`]: SERVER,
    "app/hello.py": 'def app(path):\n    return b"Hello"\n',
    "bench/servers.yml": `servers:
  ${name}:
    title: Tiny
    distribution: ${name}
    requires: [${name}==1.0]
    interfaces: [wsgi]
    command: [python, -m, ${name}, "{host}", "{port}", "{target}"]
apps:
  mine: { interface: wsgi, path: ../app, target: "hello:app" }
requests:
  greeting: { path: /, expect: { body: { text: Hello } } }
`,
    "bench/mine.yml": `title: Mine
label: Server
rows:
  - { title: Tiny, server: ${name}, app: mine, request: greeting, connections: 4 }
`,
  });
});
afterEach(() => {
  const environments = join(cacheRoot(process.env), "environments");
  for (const folder of readdirSync(environments))
    if (folder.startsWith(name)) rmSync(join(environments, folder), { recursive: true, force: true });
  rmSync(temp, { recursive: true, force: true });
});

function recordedProgress(): { lines: string[]; progress: ProvisionProgress } {
  const lines: string[] = [];
  return {
    lines,
    progress: {
      started: () => {},
      update: () => {},
      finished: (step, { reused }) => lines.push(`${reused ? "reused" : "built"} ${step.split(" ")[0]}`),
      failed: (step, reason) => lines.push(`failed ${step}: ${reason}`),
      note: () => {},
    },
  };
}

/** What `run mine --base HEAD~1 --server tiny=.` provisions, in a run of its own. */
async function provisionSides(): Promise<{ built: string[]; versions: (string | undefined)[] }> {
  await using run = testRun();
  const { lines, progress } = recordedProgress();
  const context: ProcessContext = {
    root: ROOT,
    cwd: checkout,
    env: process.env,
    stdout: { write: () => {} },
    stderr: { write: () => {} },
  };
  const options = {
    ...{ root: ROOT, cwd: checkout, selectors: ["mine"], profile: "quick", servers: [`${name}=.`], cores: 2 },
    scenarios: join(checkout, "bench"),
  };
  const plan = await planRun(options);
  const source = await findBase("HEAD~1", checkout, "folder-or-commit");
  const common = { source, plan, options, python: undefined, context, progress, tempDir: run.tempDir };
  const { measured }: PairedPlan = await planPaired(common);
  const rows = [...rowsOf(plan), ...measured.map((pair) => pair.base)];
  const { environments } = await provision(rows, { run, env: { ...process.env }, progress });
  const versions = measured.flatMap((pair) =>
    [pair.base, pair.head].map(({ environment }) => {
      const state = environments.get(environmentKey(environment));
      return state?.state === "ready" ? state.version : state?.reason;
    }),
  );
  return { built: lines.filter((line) => line.includes(name)), versions };
}

describe("a server of the checkout", () => {
  it("is built once per side, and reused as long as its files are the same", { timeout: TIMEOUT_MS }, async () => {
    commit(checkout, { "backend.py": backend(name, "1.0") });
    commit(checkout, { "backend.py": backend(name, "2.0") });
    const before = stateOf(checkout);
    expect(await provisionSides()).toEqual({ built: [`built ${name}`, `built ${name}`], versions: ["1.0", "2.0"] });
    expect(await provisionSides()).toEqual({ built: [`reused ${name}`, `reused ${name}`], versions: ["1.0", "2.0"] });
    expect(stateOf(checkout)).toBe(before);
    // What was not committed is head's.
    writeFiles(checkout, { "backend.py": backend(name, "3.0") });
    const edited = await provisionSides();
    expect(edited.versions).toEqual(["1.0", "3.0"]);
    expect([...edited.built].sort()).toEqual([`built ${name}`, `reused ${name}`]);
  });

  it("voids the comparison where head's build changes base's files", { timeout: TIMEOUT_MS }, async () => {
    commit(checkout, { "backend.py": backend(name, "1.0") });
    // Of each run: it is beside its results.
    const tamper = `import glob
for path in glob.glob("${temp}/server-bench-*/base/app/hello.py"):
    with open(path, "a") as file:
        file.write("# slower from here on\\n")
`;
    commit(checkout, { "backend.py": tamper + backend(name, "2.0") });
    const out = join(temp, "out");
    const args = ["mine", "--scenarios", "bench", "--server", `${name}=.`, "--base", "HEAD~1", "--fail-on", "worse"];
    const { code, output, errors } = await runIn(checkout, out, ...args, "--budget", "0.6");
    const { comparison, run } = await readResults(join(out, "results.json"));
    expect(comparison?.rows, output + errors).toEqual([]);
    const reason = expect.stringMatching(
      /base's files changed while head was installed \(app\/hello\.py was changed in base's checkout\)/,
    );
    expect(comparison?.notCompared).toMatchObject([{ kind: "voided", reason }]);
    expect(run.warnings).toContainEqual(reason);
    expect(code).toBe(1);
  });

  it("is measured by itself where base does not build", { timeout: TIMEOUT_MS }, async () => {
    const base = commit(checkout, { "backend.py": backend(name, "1.0", "no compiler today") });
    commit(checkout, { "backend.py": backend(name, "2.0") });
    writeFiles(checkout, { "app/hello.py": 'def app(path):\n    return b"Hel" + b"lo"\n' });
    const out = join(temp, "out");
    const args = ["mine", "--scenarios", "bench", "--server", `${name}=.`, "--base", "HEAD~1", "--fail-on", "failed"];
    const { code, output, errors } = await runIn(checkout, out, ...args, "--profile", "quick");
    expect(code, output + errors).toBe(0);
    const { cases, comparison, run } = await readResults(join(out, "results.json"));
    expect(run.git).toEqual({ sha: git(checkout, "rev-parse", "HEAD"), ref: "main", uncommitted: true });
    expect(comparison).toMatchObject({ base: { ref: "HEAD~1", sha: base }, rows: [] });
    expect(comparison?.notCompared).toMatchObject([
      {
        id: "mine/tiny",
        kind: "failed-in-base",
        reason: expect.stringMatching(/^base does not build: no compiler today; the whole log: /),
      },
    ]);
    expect(cases).toMatchObject([
      { side: "base", state: "failed", log: expect.stringContaining("no compiler today") },
      { side: "head", state: "completed", server: { version: "2.0" } },
    ]);
    const report = readFileSync(join(out, "report.md"), "utf8");
    expect(report).toContain("Failed in base only: `Tiny (c4)`");
    expect(report).toContain("on main, with uncommitted changes");
  });

  it("is said once where head does not build, however many cases need it", { timeout: TIMEOUT_MS }, async () => {
    commit(checkout, { "backend.py": backend(name, "1.0", "no compiler today") });
    const set = readFileSync(join(checkout, "bench", "mine.yml"), "utf8");
    writeFiles(checkout, { "bench/mine.yml": set.replace("connections: 4", "connections: [4, 8, 16]") });
    const out = join(temp, "out");
    const { output, errors } = await runIn(checkout, out, "mine", "--scenarios", "bench", "--server", `${name}=.`);
    const { cases } = await readResults(join(out, "results.json"));
    expect(cases.map((result) => result.state)).toEqual(["failed", "failed", "failed"]);
    const report = readFileSync(join(out, "report.md"), "utf8");
    expect(report.match(/head does not build: no compiler today/g)).toHaveLength(1);
    const printed = output + errors;
    expect(printed.match(/FAILED: \S+ does not build: no compiler today/g)).toHaveLength(1);
    expect(printed).not.toMatch(/pip install|check the network/);
    const [, log = ""] = /the whole log: (\S+\.log)/.exec(printed) ?? [];
    expect(readFileSync(log, "utf8")).toContain("no compiler today");
    // Once while it measures, and once in the report at the end.
    expect(printed.match(/head does not build: no compiler today/g)).toHaveLength(2);
  });
});

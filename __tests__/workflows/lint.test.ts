/** The two linters flag what they are there for, and the workflows that are shipped, shown and run pass both. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { needing, type TestTool } from "../support/tools.js";
import { ROOT } from "../support/workflows.js";

const CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";
const GOOD = `name: Good
on: push
permissions: {}
concurrency:
  group: good
  cancel-in-progress: true
jobs:
  good:
    name: Good
    runs-on: ubuntu-latest
    steps:
      - uses: ${CHECKOUT}
        with:
          persist-credentials: false
`;
/** The pull request's code beside a token that may write, and its title in a shell. */
const INJECTION = `on: pull_request_target
permissions: {}
jobs:
  bad:
    runs-on: ubuntu-latest
    permissions:
      contents: write
    steps:
      - uses: ${CHECKOUT}
        with:
          ref: \${{ github.event.pull_request.head.sha }}
      - run: echo \${{ github.event.pull_request.title }}
`;
const WRONG_KEY = GOOD.replace("runs-on", "run-on");
const WRONG_TYPE = GOOD.replace("    steps:", "    timeout-minutes: soon\n    steps:");

/** Starts the script as package.json does. */
function lint(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { cwd: ROOT, env: { ...process.env, ...env } };
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [join(ROOT, "scripts/lint-workflows.mjs"), ...args],
      options,
      (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

const tools = v.parse(
  v.array(v.object({ name: v.string(), path: v.optional(v.string()), missing: v.optional(v.string()) })),
  JSON.parse((await lint(["--tools"])).stdout),
);

function toolNamed(name: string): TestTool {
  const found = tools.find((tool) => tool.name === name);
  if (found?.path !== undefined) return { tool: { path: found.path, version: "" } };
  return { missing: found?.missing ?? `lint-workflows.mjs knows no ${name}` };
}
const [actionlint, zizmor] = [toolNamed("actionlint"), toolNamed("zizmor")];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function lintText(text: string, name = "workflow.yml") {
  const file = join(folder, name);
  await writeFile(file, text);
  return lint([file]);
}

describe.skipIf(actionlint.missing !== undefined)(needing("actionlint", actionlint), () => {
  it.each([
    ["a key that does not exist", WRONG_KEY, /unexpected key "run-on"/],
    ["a value of the wrong type", WRONG_TYPE, /timeout-minutes.*soon|soon.*float/],
    ["a title in a shell", INJECTION, /"github\.event\.pull_request\.title" is potentially untrusted/],
  ])("flags %s", async (_, text, problem) => {
    const { code, stdout } = await lintText(text);
    expect(stdout).toMatch(/^actionlint \S+: 1 workflows, FAILED/m);
    expect(stdout).toMatch(problem);
    expect(code).toBe(1);
  });
});

describe.skipIf(zizmor.missing !== undefined)(needing("zizmor", zizmor), () => {
  it("flags a pull request's code and title beside a token", async () => {
    const { code, stdout } = await lintText(INJECTION);
    expect(stdout).toMatch(/^zizmor \S+: 1 workflows, FAILED/m);
    for (const audit of ["dangerous-triggers", "template-injection", "artipacked"]) expect(stdout).toContain(audit);
    expect(code).toBe(1);
  });

  it("flags what only its pedantic persona finds", async () => {
    const { code, stdout } = await lintText(GOOD.replace(/concurrency:\n( {2}.*\n)+/, ""));
    expect(stdout).toContain("concurrency-limits");
    expect(code).toBe(1);
  });

  it("flags an action that is not pinned", async () => {
    const { code, stdout } = await lintText(GOOD.replace(/@[0-9a-f]{40}.*/, "@v7").replace("actions/", "other/"));
    expect(stdout).toContain("unpinned-uses");
    expect(code).toBe(1);
  });
});

describe.skipIf(tools.some(({ missing }) => missing !== undefined))("both", () => {
  it("find nothing in a good workflow", async () => {
    expect(await lintText(GOOD)).toMatchObject({ code: 0, stdout: expect.not.stringContaining("FAILED") });
  });

  it("read the workflows of a page, and name its line", async () => {
    const page = (text: string) => `# Page\n\n\`\`\`yaml\n${text}\`\`\`\n\n\`\`\`yaml\ntitle: no workflow\n\`\`\`\n`;
    expect(await lintText(page(GOOD), "page.md")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/1 workflows, nothing found\n.*1 workflows, nothing found\n$/),
    });
    const { code, stdout } = await lintText(page(WRONG_KEY), "page.md");
    const line =
      page(WRONG_KEY)
        .split("\n")
        .findIndex((text) => text.includes("run-on")) + 1;
    expect(stdout).toContain(`page.md/line-4.yml:${line}:`);
    expect(code).toBe(1);
  });

  it("refuse a page that shows a part of a workflow", async () => {
    const { code } = await lintText("```yaml\nsteps:\n  - uses: org/server-bench@v1\n```\n", "page.md");
    expect(code).toBe(1);
  });

  it("find nothing in the examples, on the pages and in this repository's own", async () => {
    const { code, stdout, stderr } = await lint([]);
    expect(stdout + stderr).not.toContain("FAILED");
    expect(stdout).toMatch(/^actionlint .*nothing found\nzizmor .*nothing found\n$/);
    expect(code).toBe(0);
  });
});

describe("a machine where neither can be installed", () => {
  const nothing = () => ({ PATH: folder, HOME: folder, SERVER_BENCH_CACHE: join(folder, "cache") });

  it.each([
    ["prints why", "", 0],
    ["fails in CI", "true", 1],
  ])("%s", async (_, ci, code) => {
    const ended = await lint([], { ...nothing(), CI: ci });
    expect(ended.stderr).toMatch(
      /^actionlint: workflows NOT checked: .*no go on PATH.*\nzizmor: workflows NOT checked: .*pip.*\n$/,
    );
    expect(ended.code).toBe(code);
  });
});

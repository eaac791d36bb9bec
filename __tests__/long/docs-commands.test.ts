/** The pages for newcomers, followed to the letter: every file that they show is written, every command is run. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { snippets } from "../../scripts/snippets.mjs";
import { parseArguments } from "../../src/commands/options.js";
import { parseServersFile } from "../../src/plan/files.js";
import { planRun } from "../../src/plan/plan.js";
import { pages } from "../support/pages.js";
import { newRepository, writeFiles } from "../support/repository.js";
import { ROOT } from "../support/workflows.js";

/** The commands of a page, beside other files: twice what they took there. */
const TIMEOUT_MS = 600_000;
const page = (name: string) => snippets(readFileSync(join(ROOT, "docs", name), "utf8"));

let temp: string;
beforeAll(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterAll(() => {
  rmSync(temp, { recursive: true, force: true });
});

/** As a user's shell does. */
function shell(cwd: string, script: string): string {
  const identity = {
    GIT_AUTHOR_NAME: "Test",
    GIT_AUTHOR_EMAIL: "test@example.org",
    GIT_COMMITTER_NAME: "Test",
    GIT_COMMITTER_EMAIL: "test@example.org",
  };
  const env = { ...process.env, ...identity, CI: "1" };
  return execFileSync("bash", ["-e", "-c", script], { cwd, env, encoding: "utf8" });
}

describe("docs/your-app.md", () => {
  const blocks = page("your-app.md");
  const yaml = blocks.filter(({ language }) => language === "yaml").map(({ text }) => text);

  it("leads from nothing to a verdict, with the outputs and files that it shows", { timeout: TIMEOUT_MS }, () => {
    const project = join(temp, "shop");
    // It may be there already where the test is tried again.
    rmSync(join(temp, "server-bench"), { force: true });
    rmSync(project, { recursive: true, force: true });
    symlinkSync(ROOT, join(temp, "server-bench"));
    newRepository(project);
    for (const { text } of blocks) {
      const file = /^# ([\w./]+)\n/.exec(text)?.[1];
      if (file !== undefined) writeFiles(project, { [file]: text.slice(text.indexOf("\n") + 1) });
    }
    const outputs = blocks.filter(({ language }) => language === "sh").map(({ text }) => shell(project, text));
    const [, init = "", run = "", forced = ""] = outputs;
    expect(init).toContain("server    uvicorn (loop asyncio, http-parser h11), Procfile:1");
    expect(init).toMatch(/GET \/ +200 +18 bytes +application\/json +measured/);
    expect(run).toContain("has no folder benchmarks, so that of head is used for both sides");
    expect(run).toMatch(/^worse {2}shop\//m);
    expect(forced).toMatch(/GET \/items\/1 +200 +10 bytes +application\/json +measured/);
    shell(project, "node ../server-bench/dist/cli.js init --yes --force");
    const shown = yaml.filter((text) => !text.startsWith("services:")).map((text) => parse(text));
    const written = ["servers", "shop"].map((name) =>
      parse(readFileSync(join(project, `benchmarks/${name}.yml`), "utf8")),
    );
    expect(written).toEqual(shown);
  });

  it("shows a database as a service that a plan takes", () => {
    const [text = ""] = yaml.filter((one) => one.startsWith("services:"));
    const { services, apps } = parseServersFile(text, "servers.yml").value;
    expect(services.db?.command.at(-1)).toMatch(/^PATH=.* && initdb .* && exec postgres .* -p \{port\} /);
    expect(apps.shop?.services).toEqual(["db"]);
  });
});

it("docs/forks-and-runners.md: doctor prints what this machine has and lacks", { timeout: TIMEOUT_MS }, () => {
  const commands = page("forks-and-runners.md").filter(
    ({ language, text }) => language === "sh" && text.includes("doctor"),
  );
  const [text = "", json = ""] = commands
    .flatMap(({ text }) => text.trim().split("\n"))
    .map((line) => shell(ROOT, line));
  expect(text).toMatch(/^Good$/m);
  expect(JSON.parse(json).checks).toContainEqual(expect.objectContaining({ id: "cpus" }));
});

/** Commands of a page that need another machine, checkout or file are parsed, and their rows planned. */
const commands = pages().flatMap(({ file, text }) =>
  snippets(text)
    .filter(({ language }) => language === "sh")
    .flatMap(({ text: block }) => block.split("\n"))
    .filter((line) => line.startsWith("node dist/cli.js "))
    .map((line) => [file, (line.split(" # ")[0] ?? "").trim()] as const),
);

it.each(commands)("%s: %s", async (_, command) => {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "").slice(2);
  const parsed = parseArguments(words);
  if (!("positionals" in parsed) || !["run", "plan", "setup", "list"].includes(parsed.name)) return;
  // Sets of the reader's own folder are not here.
  if (parsed.values.has("scenarios")) return;
  const planned = await planRun({
    ...{ root: ROOT, cwd: ROOT, profile: parsed.values.get("profile")?.[0] ?? "standard", cores: 2 },
    selectors: parsed.positionals,
  });
  expect(planned.sets.length).toBeGreaterThan(0);
});

/** The script that makes docs/quick-figures.md: each report has its own facts, and what is missing is an error. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

const report = (day: number, python: string) =>
  `# Report\n\nRun at: Sun 2${day} Nov 2026, 01:19  \nEnvironment: CPU ${day} @ Linux (CPUs: 2)  \nPython version: ${python}  \nGranian version: 2.8.${day}  \n\n## Set ${day}\n\n![Set: requests](charts/set.svg)\n\n| a |\n| --- |\n| ${day} |\n\n<details>folded</details>\n`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function pageOf(...texts: readonly string[]): Promise<string> {
  const files = texts.map((_, i) => join(folder, `report-${i}.md`));
  await Promise.all(texts.map((text, i) => writeFile(files[i] ?? "", text)));
  const out = join(folder, "page.md");
  await promisify(execFile)(process.execPath, [join(ROOT, "scripts/quick-figures.mjs"), ...files, "--out", out]);
  return await readFile(out, "utf8");
}

it("writes the facts of each report above its tables", async () => {
  const page = await pageOf(report(1, "3.11"), report(2, "3.13"));
  const order = [
    "CPU 1",
    "Python: 3.11",
    "Granian 2.8.1",
    "## Set 1",
    "CPU 2",
    "Python: 3.13",
    "Granian 2.8.2",
    "## Set 2",
  ];
  const at = order.map((text) => page.indexOf(text));
  expect(at.every((place) => place > 0)).toBe(true);
  expect(page).not.toContain("charts/");
  expect(at).toEqual([...at].sort((a, b) => a - b));
  expect(page).not.toContain("folded");
});

it("refuses a report that lacks a line, and names both", async () => {
  const lacking = report(1, "3.11").replace(/^Environment:.*\n/m, "");
  await expect(pageOf(lacking)).rejects.toThrow(/report-0\.md: there is no line "Environment: \.\.\."/);
});

/**
 * Reports of quick runs -> docs/quick-figures.md: the tables of each, below its time, machine and versions. The page says that these
 * figures are a smoke test.
 * Usage: node scripts/quick-figures.mjs REPORT.md... [--out PAGE.md]
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const PAGE = join(fileURLToPath(new URL("..", import.meta.url)), "docs/quick-figures.md");
const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: PAGE } },
});
if (files.length === 0) throw new Error("usage: node scripts/quick-figures.mjs REPORT.md... [--out PAGE.md]");

const INTRO = `# Quick figures

These tables show that every row of the sets runs, and what their columns look like. They are a smoke test: each case was loaded
for one second, on a small virtual machine whose neighbours come and go. Do not compare servers by them. Measure on a quiet
machine with \`--profile standard\`.

The command was \`node dist/cli.js run '*' --profile quick\`; \`node scripts/quick-figures.mjs REPORT.md\` wrote this page.
`;

/** @throws Error for a report without the line */
function factOf(name, { file, text }) {
  const found = new RegExp(`^${name}: (.*?)\\s*$`, "m").exec(text)?.[1];
  if (found === undefined) throw new Error(`${file}: there is no line "${name}: ..."; expected a report.md`);
  return found;
}

/** Where, when and with what a report was measured. */
function factsOf(report) {
  const versions = (report.text.match(/^.* version: .*?(?=\s*$)/gm) ?? [])
    .map((line) => line.replace(" version:", "").trim())
    .filter((line) => !line.startsWith("Python "));
  return [
    `Run at: ${factOf("Run at", report)}\\`,
    `Machine: ${factOf("Environment", report)}\\`,
    `Python: ${factOf("Python version", report)}\\`,
    `Servers: ${versions.join(", ")}`,
  ].join("\n");
}

/** The tables of all sets, without what the report folds and without its charts, which are files beside it. */
function tablesOf({ file, text }) {
  const start = text.indexOf("\n## ");
  if (start < 0) throw new Error(`${file}: there is no table of a set; expected a report.md`);
  const fold = text.indexOf("\n<details", start);
  const sets = text.slice(start, fold < 0 ? undefined : fold).trim();
  return sets.replace(/^!\[.*\]\(charts\/.*\)\n+/gm, "");
}

const reports = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, "utf8") })));
const parts = reports.map((report) => `${factsOf(report)}\n\n${tablesOf(report)}\n`);
await writeFile(values.out, `${INTRO}\n${parts.join("\n")}`);

/**
 * Checks the workflows that this project ships, shows and runs, with actionlint (keys, types, expressions) and zizmor
 * (security):
 *   node scripts/lint-workflows.mjs [FILE...]     default: examples/, .github/workflows/ and every Markdown page
 *   node scripts/lint-workflows.mjs --tools       where the two linters are, or why one is missing, as JSON
 * Of a Markdown page it checks the code blocks that are workflows. Where a linter cannot be installed, the script prints
 * why; in CI it then fails.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { outcomeOf, provideLinters } from "./lint-tools.mjs";
import { workflowSnippets } from "./snippets.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const WORKFLOWS = /\.ya?ml$/;
const PAGES = /\.md$/;

const args = process.argv.slice(2);
const linters = await provideLinters();
if (args[0] === "--tools") console.log(JSON.stringify(linters));
else await lint(args.length > 0 ? args : await ownFiles());

async function lint(given) {
  const temp = await mkdtemp(join(tmpdir(), "server-bench-lint-"));
  try {
    const files = [...given.filter((file) => WORKFLOWS.test(file)), ...(await snippetFiles(given, temp))];
    for (const linter of linters) await lintWith(linter, files, temp);
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

async function lintWith(linter, files, temp) {
  if (linter.missing !== undefined) {
    console.error(`${linter.name}: workflows NOT checked: ${linter.missing}`);
    if (process.env.CI) process.exitCode = 1;
    return;
  }
  const { code, output } = await outcomeOf(linter.path, [...linter.args, ...files]);
  console.log(
    `${linter.name} ${linter.version}: ${files.length} workflows, ${code === 0 ? "nothing found" : "FAILED"}`,
  );
  if (code === 0) return;
  console.log(output.replaceAll(`${temp}/`, ""));
  process.exitCode = 1;
}

/** Each snippet that is not in examples/ as a file of its own. Its lines keep their numbers, so a finding names the line of the page. */
async function snippetFiles(given, temp) {
  const files = [];
  const shortest = await readFile(join(root, "examples/pull-request.yml"), "utf8");
  for (const page of given.filter((file) => PAGES.test(file))) {
    for (const { line, text } of workflowSnippets(await readFile(page, "utf8"))) {
      if (shortest.endsWith(`\n${text}`)) continue;
      const file = join(temp, relative(root, resolve(page)).replaceAll("..", "_"), `line-${line}.yml`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${"\n".repeat(line - 1)}${text}`);
      files.push(file);
    }
  }
  return files;
}

async function ownFiles() {
  const folders = [
    ["examples", WORKFLOWS],
    [".github/workflows", WORKFLOWS],
    [".", PAGES],
    ["docs", PAGES],
  ];
  const files = [];
  for (const [folder, wanted] of folders) {
    const names = (await readdir(join(root, folder))).filter((name) => wanted.test(name)).sort();
    files.push(...names.map((name) => relative(process.cwd(), join(root, folder, name))));
  }
  return files;
}

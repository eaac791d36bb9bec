/**
 * Checks the workflows that this project ships and runs, with actionlint (keys, types, expressions) and zizmor
 * (security):
 *   node scripts/lint-workflows.mjs [FILE.yml...]     default: those of examples/ and .github/workflows/
 *   node scripts/lint-workflows.mjs --tools           where the two are, or why one is missing, as JSON
 * A machine that cannot have one of them is told so; in CI that fails.
 */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { outcomeOf, provideLinters } from "./lint-tools.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["examples", ".github/workflows"];

const args = process.argv.slice(2);
const linters = await provideLinters();
if (args[0] === "--tools") console.log(JSON.stringify(linters));
else await lint(args.length > 0 ? args : await ownWorkflows());

async function lint(files) {
  for (const linter of linters) {
    if (linter.missing !== undefined) {
      console.error(`${linter.name}: workflows NOT checked: ${linter.missing}`);
      if (process.env.CI) process.exitCode = 1;
      continue;
    }
    const { code, output } = await outcomeOf(linter.path, [...linter.args, ...files]);
    console.log(
      `${linter.name} ${linter.version}: ${files.length} workflows, ${code === 0 ? "nothing found" : "FAILED"}`,
    );
    if (code === 0) continue;
    console.log(output);
    process.exitCode = 1;
  }
}

async function ownWorkflows() {
  const files = [];
  for (const folder of FOLDERS) {
    const names = (await readdir(join(root, folder))).filter((name) => /\.ya?ml$/.test(name)).sort();
    files.push(...names.map((name) => relative(process.cwd(), join(root, folder, name))));
  }
  return files;
}

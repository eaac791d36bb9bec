/**
 * Every regular expression of src/ takes time in proportion to its text, or is named below with the reason why its text is
 * short. What is run on a user's own files is not named: it is changed.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { check } from "recheck";

const AT_A_TIME = 2;
const TIMEOUT_MS = 60_000;

/** By file, relative to src/. All are quadratic at most, unless it says so. What recheck finds differs a little from run to run. */
const SHORT = {
  "a name or an address that a user or an administrator gives": [
    ...["actions/bench/command.ts", "github/job.ts", "history/repository.ts", "process/environment.ts"],
    ...["provision/environments/git-commits.ts", "commands/init/read-project.ts"],
  ],
  // Git refuses longer names than a file can have; this one is cubic.
  "a name of git": ["release/tags.ts", "release/folder-name.ts"],
  "a version, or what a program answers to --version": [
    ...["commands/doctor/program-checks.ts", "provision/environments/replaced.ts", "release/checkout-tags.ts"],
    "report/text/format.ts",
  ],
  "a line of a tool's log, which is split after 64 KiB": [
    ...["provision/environments/build-log.ts", "provision/environments/install-failure.ts"],
    ...["provision/generators/oha-cargo.ts", "commands/init/trial.ts"],
  ],
  "a file of the kernel": ["measure/machine/cpu.ts", "measure/machine/loopback.ts"],
  "a sentence of ours, or of GitHub": [
    ...["commands/release/check-results.ts", "report/comment/comment.ts", "report/comment/changes.ts"],
    "github/failure.ts",
  ],
  "a path of a library that py-spy saw": ["compare/profile-functions.ts", "compare/profile-stacks.ts"],
  "a text that was clipped before": ["report/text/column-sides.ts", "report/text/escape.ts"],
};
const EXPECTED = new Set(Object.values(SHORT).flat());

const root = join(import.meta.dirname, "..", "src");
const found = new Map();
for (const file of readdirSync(root, { recursive: true }))
  if (file.endsWith(".ts") && !file.endsWith(".generated.ts")) collect(file, readFileSync(join(root, file), "utf8"));
const queue = [...found.values()];
const problems = [];
await Promise.all(Array.from({ length: AT_A_TIME }, judgeAll));
for (const problem of problems.sort()) console.error(problem);
console.log(
  `${found.size} regular expressions: ${problems.length === 0 ? "all linear, or on short texts" : "see above"}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

function collect(file, text) {
  const add = (pattern, flags, index) => {
    const at = `${file}:${text.slice(0, index).split("\n").length}`;
    const key = `${flags}/${pattern}`;
    const same = found.get(key);
    if (same) same.places.push({ file, at });
    else found.set(key, { pattern, flags, places: [{ file, at }] });
  };
  walk(parseSync(file, text).program, add);
}

function walk(node, add) {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, add);
    return;
  }
  if (node === null || typeof node !== "object") return;
  if (node.type === "Literal" && node.regex) return add(node.regex.pattern, node.regex.flags, node.start);
  if (node.type === "NewExpression" && node.callee.name === "RegExp") {
    const [pattern, flags] = node.arguments;
    // A part that is filled in is a list of words.
    if (pattern.type === "TemplateLiteral")
      add(pattern.quasis.map(({ value }) => value.cooked).join("x"), flags?.value ?? "", node.start);
  }
  for (const value of Object.values(node)) walk(value, add);
}

async function judgeAll() {
  for (let each = queue.pop(); each; each = queue.pop()) {
    const { pattern, flags, places } = each;
    const { status, complexity } = await check(pattern, flags, { timeout: TIMEOUT_MS });
    if (status === "safe") continue;
    const named = places.every(({ file }) => EXPECTED.has(file));
    if (named && complexity?.type !== "exponential") continue;
    const how = complexity ? `${complexity.type} ${complexity.degree ?? ""}`.trim() : status;
    problems.push(`${places.map(({ at }) => at).join(", ")}: ${how}: /${pattern}/${flags}`);
  }
}

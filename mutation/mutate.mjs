/**
 * Changes the code in many small ways and runs its tests on each: `npm run mutate -- FOLDER [FILE...]`.
 * Folders: compare, merge, github, results. A mutant that no test notices is listed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";

const own = import.meta.dirname;
const tester = join(own, "node_modules/.bin/stryker");

/** @param {string} command @param {string[]} args @param {import("node:child_process").SpawnOptions} [more] */
async function run(command, args, more) {
  const [code] = await once(spawn(command, args, { stdio: "inherit", ...more }), "exit");
  return code ?? 1;
}

const installed = existsSync(tester) ? 0 : await run("npm", ["ci"], { cwd: own });
const env = { ...process.env, MUTATE: process.argv.slice(2).join(" ") };
process.exitCode = installed || (await run(tester, ["run", join(own, "stryker.config.mjs")], { env }));

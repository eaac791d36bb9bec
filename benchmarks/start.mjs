/**
 * Measures how long a user waits for the first output. The commands run in turn; medians are printed.
 *   node benchmarks/start.mjs [TURNS]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const turns = Number(process.argv[2] ?? 25);

/** Milliseconds until the process has ended, and until its first output. */
async function time(args, env = {}) {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let first;
  child.stdout.on("data", () => {
    first ??= performance.now() - started;
  });
  await once(child, "close");
  return { first: first ?? Number.NaN, whole: performance.now() - started };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const [nothing, list, action] = [[], [], []];
for (let turn = 0; turn < turns; turn += 1) {
  nothing.push((await time(["-e", "0"])).whole);
  list.push((await time(["dist/cli.js", "list"])).whole);
  // A wrong input: it ends before anything is installed.
  action.push((await time(["dist/action.js"], { INPUT_SCENARIOS: "no-such-set" })).first);
}
const ms = (values) => `${median(values).toFixed(0)} ms`;
console.log(`node -e 0: ${ms(nothing)}`);
console.log(`list: ${ms(list)}, ${(median(list) / median(nothing)).toFixed(2)} times as long`);
console.log(`the action's first line: after ${ms(action)}`);

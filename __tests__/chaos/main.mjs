/** `npm run chaos [-- --runs N --seed S --only FAULT --log FILE]`: more trials than the suite does. */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    log: { type: "string" },
  },
});
const { status } = spawnSync("npx", ["vitest", "run", "__tests__/chaos/chaos.test.ts"], {
  stdio: "inherit",
  env: {
    ...process.env,
    ...{ CHAOS_RUNS: values.runs, CHAOS_SEED: values.seed, CHAOS_ONLY: values.only },
    ...(values.log !== undefined && { CHAOS_LOG: resolve(values.log) }),
  },
});
process.exitCode = status ?? 1;

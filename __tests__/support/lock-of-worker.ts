/** Test files that run beside each other do not wait for each other's runs, because they judge no speed. */
import { dirname, join } from "node:path";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";

const ofSuite = process.env[LOCK_VARIABLE];
// VITEST_POOL_ID would not do: from the second project on, Vitest 4.1 gives two workers the same one.
if (ofSuite !== undefined)
  process.env[LOCK_VARIABLE] = join(dirname(ofSuite), `machine-${process.env.VITEST_WORKER_ID}.lock`);

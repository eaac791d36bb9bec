/** Runs before each test file. */
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";
import { removeTempFolders } from "./cli.js";

afterAll(removeTempFolders);

// Files that run at the same time do not wait for each other's runs, because they judge no speed.

const ofSuite = process.env[LOCK_VARIABLE];
// VITEST_POOL_ID would not do: from the second project on, Vitest 4.1 gives two workers the same one.
if (ofSuite !== undefined)
  process.env[LOCK_VARIABLE] = join(dirname(ofSuite), `machine-${process.env.VITEST_WORKER_ID}.lock`);

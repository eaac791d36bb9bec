import { defineConfig } from "vitest/config";

/** The tests that one folder's mutants have to survive; `stryker.config.mjs` names them. */
export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? "").split(" "),
    fileParallelism: false,
    testTimeout: 20_000,
    reporters: ["dot"],
  },
});

import { defineConfig } from "vitest/config";
import { ClosingLine } from "./__tests__/support/closing-line.js";
import { SkipGate } from "./__tests__/support/skip-gate.js";

export default defineConfig({
  test: {
    include: ["__tests__/**/*.test.ts"],
    globalSetup: ["__tests__/support/load-generator.ts"],
    // Servers and load share two cores in CI: one file at a time, and time for a slow start.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ["default", new SkipGate(), new ClosingLine()],
  },
});

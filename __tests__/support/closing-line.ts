import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** How many files are named. */
const SLOWEST = 5;

/** Ends the output with the slowest files, and `N passed, N failed, N skipped` on a line of its own, for whatever reads logs. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      // A file that cannot be loaded holds no test, and must not count as none failed.
      if (module.errors().length > 0) counts.failed += 1;
    }
    const slowest = modules
      .map((module) => ({ file: relative(process.cwd(), module.moduleId), ms: module.diagnostic().duration }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    process.stdout.write("\nSlowest files:\n");
    for (const { file, ms } of slowest) process.stdout.write(`  ${(ms / 1000).toFixed(1)} s  ${file}\n`);
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}

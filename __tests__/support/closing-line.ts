import type { Reporter, TestModule } from "vitest/node";

/** Ends the output with `N passed, N failed, N skipped` on a line of its own, for whatever reads logs. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      // A file that cannot be loaded holds no test, and must not count as none failed.
      if (module.errors().length > 0) counts.failed += 1;
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}

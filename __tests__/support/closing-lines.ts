/** The end of the output: tests that passed only at their second try, the slowest files, and a line of counts for whatever reads logs. */
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** How many files are named. */
const SLOWEST = 5;
const MESSAGE_CHARACTERS = 200;

export class ClosingLines implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const tries: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result();
        counts[state] += 1;
        const [message = ""] = (errors[0]?.message ?? "").split("\n");
        const what = `${fileOf(module)}: ${test.fullName}: ${message.slice(0, MESSAGE_CHARACTERS)}`;
        // A green run must not hide it.
        if (state === "passed" && test.diagnostic()?.flaky) tries.push(what);
      }
      // A file that cannot be loaded holds no test, and must not count as none failed.
      if (module.errors().length > 0) counts.failed += 1;
    }
    if (tries.length > 0) print("These tests failed first and passed at their second try:", tries);
    const slowest = modules
      .map((module) => ({ file: fileOf(module), ms: module.diagnostic().duration }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    print(
      "Slowest files:",
      slowest.map(({ file, ms }) => `${(ms / 1000).toFixed(1)} s  ${file}`),
    );
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}

/** Relative to the repository. */
export function fileOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}

export function print(title: string, lines: readonly string[]): void {
  process.stdout.write(`\n${title}\n${lines.map((line) => `  ${line}\n`).join("")}`);
}

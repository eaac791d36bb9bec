/** A test may be skipped only where this list allows it: a skipped test checks nothing, and a green run hides it. */
import { relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

interface AllowedSkip {
  /** Relative to the repository. */
  readonly file: string;
  readonly because: string;
}

export const MAY_SKIP: readonly AllowedSkip[] = [
  { file: "__tests__/integration/wrk.test.ts", because: "wrk comes from the system's package manager alone" },
  ...[
    ...["integration/instructions", "integration/release"],
    ...["long/confirm", "long/instructions-kinds", "long/instructions-servers", "long/alone/suspects"],
  ].map((name) => ({
    file: `__tests__/${name}.test.ts`,
    because: "Valgrind comes from the system's package manager alone",
  })),
  ...["process/abandoned", "machine-lock/machine-lock", "provision/sides/pull-request-base"].map((name) => ({
    file: `__tests__/${name}.test.ts`,
    because: "only root can be another user too, and a runner is no root",
  })),
  { file: "__tests__/process/fixed-addresses.test.ts", because: "a container may not let `setarch -R` run" },
  { file: "__tests__/report/html/browser.test.ts", because: "Chromium comes from the system's package manager alone" },
];

interface Skipped {
  readonly file: string;
  readonly test: string;
}

/** What was skipped although the list does not have its file. */
function forbiddenSkips(skipped: readonly Skipped[]): readonly Skipped[] {
  return skipped.filter(({ file }) => MAY_SKIP.every((allowed) => allowed.file !== file));
}

export class SkipGate implements Reporter {
  /** With `-t NAME` Vitest skips all others. */
  #named = false;

  onInit({ config }: Vitest): void {
    this.#named = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#named) return;
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map(({ fullName }) => ({
        file: relative(process.cwd(), module.moduleId),
        test: fullName,
      })),
    );
    const forbidden = forbiddenSkips(skipped);
    if (forbidden.length === 0) return;
    process.stderr.write("\nThese tests may not be skipped (__tests__/support/skip-gate.ts):\n");
    for (const { file, test } of forbidden) process.stderr.write(`  ${file}: ${test}\n`);
    process.exitCode = 1;
  }
}

/** A test may be skipped only where this list allows it: a skipped test checks nothing, and a green run hides it. */
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { fileOf, print } from "./closing-lines.js";

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

export class SkipGate implements Reporter {
  /** With `-t NAME` Vitest skips all others. */
  #named = false;

  onInit({ config }: Vitest): void {
    this.#named = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#named) return;
    const forbidden = modules
      .filter((module) => MAY_SKIP.every(({ file }) => file !== fileOf(module)))
      .flatMap((module) =>
        [...module.children.allTests("skipped")].map((test) => `${fileOf(module)}: ${test.fullName}`),
      );
    if (forbidden.length === 0) return;
    print("These tests may not be skipped (__tests__/support/skip-gate.ts):", forbidden);
    process.exitCode = 1;
  }
}

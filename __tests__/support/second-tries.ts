/** Names the tests that passed only when they were tried again: a green run must not hide them. */
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

export class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) =>
      [...module.children.allTests("passed")]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => {
          const [first] = test.result().errors ?? [];
          return `  ${relative(process.cwd(), module.moduleId)}: ${test.fullName}: ${firstLine(first?.message)}\n`;
        }),
    );
    if (lines.length > 0)
      process.stderr.write(`\nThese tests failed first and passed at their second try:\n${lines.join("")}`);
  }
}

const LINE_CHARACTERS = 200;

function firstLine(message = "no message"): string {
  return (message.split("\n")[0] ?? "").slice(0, LINE_CHARACTERS);
}

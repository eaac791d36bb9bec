/** The checks as text: what is lacking first, each with its meaning and what to do. */
import type { Check } from "./check.js";

const TITLE_WIDTH = 23;

export function doctorText(checks: readonly Check[]): string {
  const of = (state: Check["state"]) => checks.filter((check) => check.state === state);
  const [lacking, good, unknown] = [of("lacking"), of("good"), of("unknown")];
  const lines = [
    ...section("Lacking", lacking, explained),
    ...section("Not known", unknown, explained),
    ...section("Good", good, headline),
    `${lacking.length} lacking, ${unknown.length} not known, ${good.length} good. You can measure without most of it; docs/forks-and-runners.md says how much each matters.`,
  ];
  return lines.join("\n");
}

function section(title: string, checks: readonly Check[], shown: (check: Check) => string[]): string[] {
  return checks.length === 0 ? [] : [title, "", ...checks.flatMap(shown), ""];
}

function headline({ title, found }: Check): string[] {
  return [`  ${title.padEnd(TITLE_WIDTH)} ${found}`];
}

function explained(check: Check): string[] {
  const indent = " ".repeat(TITLE_WIDTH + 3);
  return [...headline(check), `${indent}${check.means}`, ...(check.todo === "" ? [] : [`${indent}Do: ${check.todo}`])];
}

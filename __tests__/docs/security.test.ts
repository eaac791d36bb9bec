/** docs/security.md: every rule names a test that is there. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

const page = readFileSync(join(ROOT, "docs/security.md"), "utf8");
const rules = [...page.matchAll(/^- (\S.*): (`[a-z]+\/\S*`(?:, `\S+`)*)$/gm)].map(([, rule = "", tests = ""]) => [
  rule,
  tests,
]);

it("has rules", () => {
  expect(rules.length).toBeGreaterThan(20);
});

it.each(rules)("%s", (_, tests = "") => {
  const files = tests.split(", ").map((name) => `__tests__/${name.slice(1, -1)}.test.ts`);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

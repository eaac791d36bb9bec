/** The list of tests that needed a second try, as CI's log shows it. */
import { expect, it } from "vitest";
import { vitestOn } from "../support/vitest-on.js";

const setup = { reporter: "second-tries", className: "SecondTries", ci: true, options: "retry: 1," };

it("names a test that passed at its second try, with the message of the first", async () => {
  const { code, output } = await vitestOn(
    `let tries = 0; it("comes and goes", () => { tries += 1; expect(tries).toBe(2); });
     it("holds", () => expect(1).toBe(1));`,
    setup,
  );
  expect(output).toContain(
    "These tests failed first and passed at their second try:\n  one.test.ts: comes and goes: expected 1 to be 2",
  );
  expect(output).not.toContain("one.test.ts: holds");
  expect(code).toBe(0);
});

it("fails a test that fails twice, and lists none that never failed", async () => {
  const { code, output } = await vitestOn('it("never", () => expect(1).toBe(2));', setup);
  expect(code).toBe(1);
  expect(output).not.toContain("second try");
});

/** One budget for pairs, memory and instructions. */
import { describe, expect, it } from "vitest";
import { BudgetShares, noRoomReason } from "../../src/commands/run/budget-shares.js";

describe("a budget of several stages", () => {
  it("gives each stage an equal share of what is left", () => {
    let clock = 100;
    const shares = new BudgetShares({ budgetMinutes: 3, now: () => clock }, ["cpu", "instructions", "memory"]);
    expect(shares.next()).toBe(60);
    clock += 20;
    expect(shares.next()).toBe(80);
    clock += 80;
    expect(shares.next()).toBe(80);
  });

  it.each([
    ["instructions", ["instructions"], 2, 10],
    ["instructions", ["cpu", "instructions"], 2, 20],
    ["memory", ["memory"], 3, 10],
    ["instructions", ["instructions"], 15, 16],
  ] as const)("names a budget that is enough for %s of %j", (kind, asked, budget, enough) => {
    const first = kind === "memory" ? "first 3 pairs" : "first 2 rounds";
    expect(noRoomReason(kind, budget, 590, asked)).toBe(
      `the budget of ${budget} min had no room for its ${first}; about ${enough} min are enough for those of all rows`,
    );
  });
});

import { describe, expect, it } from "vitest";
import { acceptsPython } from "../../src/plan/python-requirement.js";

describe("acceptsPython", () => {
  it.each([
    [">=3.10", "3.11.7", true],
    [">=3.12", "3.11.7", false],
    [">=3.10,<3.14", "3.14.0", false],
    [">= 3.10, < 4", "3.14.1", true],
    [">=3.10 <3.12", "3.11.9", true],
    ["!=3.11.*,>=3.10", "3.11.7", false],
    ["!=3.11.4,>=3.10", "3.11.7", true],
    ["==3.11.*", "3.11.7", true],
    ["==3.11", "3.11.7", false],
    ["~=3.11", "3.13.0", true],
    ["~=3.11.2", "3.12.0", false],
    [">3.11", "3.11.7", true],
    ["<=3.11", "3.11.7", false],
    ["^3.10", "3.13.1", true],
    ["^3.12", "3.11.7", false],
    ["~3.11", "3.12.0", false],
    ["~3.11", "3.11.9", true],
    ["~2.7 || ^3.8", "3.11.7", true],
    ["3.11.*", "3.11.7", true],
    ["*", "3.11.7", true],
    [">=3.13", "3.13.2t", true],
    ["", "3.11.7", true],
  ])("%s with %s: %s", (requirement, version, accepted) => {
    expect(acceptsPython(requirement, version)).toBe(accepted);
  });
});

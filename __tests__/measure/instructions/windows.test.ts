import { describe, expect, it } from "vitest";
import { areSteady, requestsPerWindow } from "../../../src/measure/instructions/windows.js";

describe("requestsPerWindow", () => {
  it("is a number of the series 1, 2, 5, and the same for nearly the same work", () => {
    expect(requestsPerWindow({ instructions: 117_000, seconds: 0.001 })).toBe(500);
    expect(requestsPerWindow({ instructions: 107_000, seconds: 0.001 })).toBe(500);
    expect(requestsPerWindow({ instructions: 660_000, seconds: 0.001 })).toBe(50);
  });

  it("is small where requests wait", () => {
    expect(requestsPerWindow({ instructions: 100_000, seconds: 0.3 })).toBe(20);
    expect(requestsPerWindow({ instructions: 100_000, seconds: 30 })).toBe(2);
  });

  it("has limits", () => {
    expect(requestsPerWindow({ instructions: 100, seconds: 0.001 })).toBe(1000);
    expect(requestsPerWindow({ instructions: 5e9, seconds: 0.001 })).toBe(2);
    expect(requestsPerWindow({ instructions: 0, seconds: 0.001 })).toBe(1000);
  });
});

describe("areSteady", () => {
  it("asks for four windows within 1 %", () => {
    expect(areSteady([100, 100, 100])).toBe(false);
    expect(areSteady([100, 100.5, 99.8, 100.2])).toBe(true);
    expect(areSteady([120, 100, 100.5, 99.8])).toBe(false);
    expect(areSteady([120, 100, 100.5, 99.8, 100.2])).toBe(true);
  });
});

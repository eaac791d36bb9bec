import { describe, expect, it } from "vitest";
import { areSteady, requestsPerWindow } from "../../../src/measure/instructions/windows.js";

describe("requestsPerWindow", () => {
  it("is a number of the series 1, 2, 5, and the same for nearly the same work", () => {
    expect(requestsPerWindow(117_000)).toBe(500);
    expect(requestsPerWindow(107_000)).toBe(500);
    expect(requestsPerWindow(660_000)).toBe(50);
  });

  it("has limits", () => {
    expect(requestsPerWindow(100)).toBe(1000);
    expect(requestsPerWindow(5e9)).toBe(2);
    expect(requestsPerWindow(0)).toBe(1000);
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

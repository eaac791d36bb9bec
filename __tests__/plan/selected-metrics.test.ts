import { describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { furtherMetricsOf, isTimed, parseMetrics } from "../../src/plan/selected-metrics.js";

describe("parseMetrics", () => {
  it("takes names between commas, in one order, each once", () => {
    expect(parseMetrics("memory, cpu,cpu,throughput", "--metrics")).toEqual(["throughput", "cpu", "memory"]);
  });

  it("names the nearest metric", () => {
    expect(() => parseMetrics("throughput,instuctions", "--metrics")).toThrow(
      new InputError(
        'invalid --metrics "instuctions": use throughput, cpu, latency, instructions, memory; did you mean "instructions"?',
      ),
    );
    expect(() => parseMetrics(" , ", "metrics")).toThrow(/^invalid metrics " , ": use throughput/);
  });

  it("knows what is timed and what is measured beside it", () => {
    expect(isTimed(parseMetrics("instructions,memory", "--metrics"))).toBe(false);
    expect(isTimed(parseMetrics("instructions,latency", "--metrics"))).toBe(true);
    expect(furtherMetricsOf(parseMetrics("cpu,instructions,memory", "--metrics"))).toEqual(["memory", "instructions"]);
  });
});

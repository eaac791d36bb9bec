import { describe, expect, it } from "vitest";
import { caseDifferences, fileDifferences } from "../../src/compare/comparable.js";
import { completed, failed, granian, sampleResults } from "../support/results.js";

const base = sampleResults();

describe("fileDifferences", () => {
  it("is empty for the same machine, whatever does not matter", () => {
    const environment = { ...base.environment, os: "Ubuntu 24.04.1", memoryMiB: 7000, fingerprint: "other" };
    expect(fileDifferences(base, { ...base, environment })).toEqual([]);
  });

  it("names every field with both values", () => {
    const { governor: _, ...rest } = base.environment;
    const environment = {
      ...rest,
      cpuModel: "Xeon",
      cpus: 4,
      kernel: "6.9",
      python: "3.12.1",
      loadGenerators: { oha: "1.17.0" },
      serverCpus: "0-1",
      clientCpus: "2-3",
    };
    const head = { ...base, environment, run: { ...base.run, profile: "quick" as const } };
    expect(fileDifferences(base, head)).toEqual([
      "CPU model: AMD Ryzen 7 5700X in base, Xeon in head",
      "CPUs: 2 in base, 4 in head",
      "kernel: 6.8.0-51-generic in base, 6.9 in head",
      "governor: performance in base, unknown in head",
      "Python: 3.11.2 in base, 3.12.1 in head",
      "server CPUs: 0 in base, 0-1 in head",
      "load generator CPUs: 1 in base, 2-3 in head",
      "oha: 1.16.0 in base, 1.17.0 in head",
      "profile: standard in base, quick in head",
    ]);
  });

  it("leaves a load generator out that only one run used", () => {
    const environment = { ...base.environment, loadGenerators: { oha: "1.16.0", ghz: "0.120.0" } };
    expect(fileDifferences(base, { ...base, environment })).toEqual([]);
  });
});

describe("caseDifferences", () => {
  const row = completed("interfaces/a", "A", 64, 1000);
  const load = (...words: string[]) => ({ ...row, generatorCommand: ["/cache/oha", ...words] });

  it("takes versions, ports, folders and the tool's path for what they are", () => {
    const server = { ...granian, version: "2.9.0", packages: ["granian==2.9.0"] };
    expect(caseDifferences(row, { ...row, server })).toEqual([]);
    const one = load("-z", "10s", "-D", "/tmp/a/files/body", "http://127.0.0.1:4001/b");
    const other = load("-z", "10s", "-w", "-D", "/tmp/b/files/body", "http://127.0.0.1:4002/b");
    expect(caseDifferences(one, { ...other, generatorCommand: ["oha", ...other.generatorCommand.slice(1)] })).toEqual(
      [],
    );
  });

  it("names another window, request, knob, Python and concurrency", () => {
    expect(
      caseDifferences(load("-z", "10s", "http://localhost:1/b"), load("-z", "1s", "http://localhost:2/c")),
    ).toEqual(["load: -z 10s http://localhost:{port}/b in base, -z 1s http://localhost:{port}/c in head"]);
    const head = { ...row, connections: 128, knobs: { workers: 2 }, server: { ...granian, python: "3.12.0" } };
    expect(caseDifferences(row, head)).toEqual([
      "connections: 64 in base, 128 in head",
      "Python: 3.11.2 in base, 3.12.0 in head",
      "knob workers: unknown in base, 2 in head",
    ]);
  });

  it("takes the length of a slice in pairs for what a run chose by the speed of the server", () => {
    const inPairs = (seconds: string) => ({
      ...load("-z", seconds, "http://localhost:1/b"),
      slices: [...row.slices, ...row.slices],
    });
    expect(caseDifferences(inPairs("0.3s"), inPairs("0.25s"))).toEqual([]);
    // The window of a row without a base is that of its profile.
    expect(caseDifferences(load("-z", "5s", "http://localhost:1/b"), inPairs("0.25s"))).toEqual([
      "load: -z 5s in base, -z {slice} in head",
    ]);
  });

  it("takes the rate that a run made of its own maximum for the share that was asked for", () => {
    const sent = (rate: string, rateShare?: number) => ({
      ...load("-z", "10s", "-q", rate, "http://localhost:1/b"),
      ...(rateShare !== undefined && { rateShare }),
    });
    expect(caseDifferences(sent("12300", 0.5), sent("11900", 0.5))).toEqual([]);
    expect(caseDifferences(sent("12300", 0.5), sent("12300", 0.8))).toEqual(["load: -q 50% in base, -q 80% in head"]);
    expect(caseDifferences(sent("12300"), sent("11900"))).toEqual(["load: -q 12300 in base, -q 11900 in head"]);
    // A file from before the share was recorded.
    expect(caseDifferences(sent("12300"), sent("12300", 0.5))).toEqual(["load: -q 12300 in base, -q 50% in head"]);
  });

  it("does not hold against a failed case what it never recorded", () => {
    const { generatorCommand: _, ...early } = failed("interfaces/a", "A", 64);
    expect(caseDifferences(row, early)).toEqual([]);
  });
});

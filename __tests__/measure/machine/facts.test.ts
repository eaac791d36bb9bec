import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { readTopology, splitCpus } from "../../../src/measure/machine/cpus.js";
import { fingerprint, parseCpuModel, parseOsName, readHost } from "../../../src/measure/machine/facts.js";
import { resultsFile } from "../../../src/results/schema.js";

describe("parsing", () => {
  it("finds the CPU's model on x86 and ARM", () => {
    expect(parseCpuModel("processor\t: 0\nmodel name\t: AMD EPYC 7763 64-Core\nflags\t: x\n")).toBe(
      "AMD EPYC 7763 64-Core",
    );
    expect(parseCpuModel("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n")).toBe("implementer 0x41 part 0xd0c");
    expect(parseCpuModel("")).toBe("unknown");
  });
  it("finds the system's name", () => {
    expect(parseOsName('NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')).toBe(
      "Debian GNU/Linux 12 (bookworm)",
    );
    expect(parseOsName("")).toBe("Linux");
  });
});

it("has a fingerprint that depends on the facts and not on their order", () => {
  expect(fingerprint({ a: 1, b: "x" })).toBe(fingerprint({ b: "x", a: 1 }));
  expect(fingerprint({ a: 1, b: "x" })).not.toBe(fingerprint({ a: 2, b: "x" }));
  expect(fingerprint({})).toMatch(/^[0-9a-f]{12}$/);
});

it("describes this machine in the form of the results file", async () => {
  const generators = new Map([["oha", { path: "/bin/oha", version: "1.16.0" }]]);
  const host = await readHost("3.11.7", generators, splitCpus(readTopology()));
  expect(v.parse(resultsFile.entries.environment, host)).toEqual(host);
  expect(host.loadGenerators).toEqual({ oha: "1.16.0" });
  expect(host.fingerprint).not.toBe((await readHost("3.12.1", generators, splitCpus(readTopology()))).fingerprint);
});

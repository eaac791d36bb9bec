/** Versions and their order, against Python's `packaging` and the examples of semver. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareVersions, isPrerelease, parseVersion, type Version } from "../../src/release/version.js";

interface Fixture {
  /** Groups of equal versions, the earliest group first. */
  readonly ordered: readonly (readonly string[])[];
  readonly prereleases: readonly string[];
  readonly invalid: readonly string[];
}
const fixture = JSON.parse(readFileSync(join(import.meta.dirname, "fixtures/versions.json"), "utf8")) as Fixture;

function version(text: string): Version {
  const read = parseVersion(text);
  if (!read) throw new Error(`${text} is no version`);
  return read;
}

/** Reads every text, and says where the order of two neighbours is not the expected one. */
function wrongOrder(groups: readonly (readonly string[])[]): string[] {
  const wrong: string[] = [];
  const flat = groups.flatMap((group, at) => group.map((text) => ({ text, at, read: version(text) })));
  for (const a of flat)
    for (const b of flat)
      if (Math.sign(compareVersions(a.read, b.read)) !== Math.sign(a.at - b.at)) wrong.push(`${a.text} and ${b.text}`);
  return wrong;
}

describe("PEP 440", () => {
  it("reads and orders versions as Python's packaging does, every pair of them", () => {
    expect(fixture.ordered.length).toBeGreaterThan(100);
    expect(wrongOrder(fixture.ordered)).toEqual([]);
  });

  it("knows which are pre-releases", () => {
    const all = fixture.ordered.flat();
    expect(all.filter((text) => isPrerelease(version(text))).sort()).toEqual([...fixture.prereleases].sort());
  });

  it("refuses what packaging refuses, but for the pre-releases that only semver knows", () => {
    const read = fixture.invalid.filter((text) => parseVersion(text));
    const semver = /^v?\d+\.\d+\.\d+-(next\.1|canary|0\.3\.7)$/;
    expect(read.filter((text) => !semver.test(text))).toEqual([]);
    expect(read.length).toBeGreaterThan(0);
  });
});

describe("semver", () => {
  it("orders the examples of its page", () => {
    const examples =
      "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.9.0 1.10.0 1.11.0";
    expect(wrongOrder(examples.split(" ").map((text) => [text]))).toEqual([]);
  });

  it("orders numbers before names, and names as letters are", () => {
    const names =
      "1.0.0-0.3.7 1.0.0-alpha.1 1.0.0-alpha.1.2 1.0.0-alpha.2 1.0.0-canary 1.0.0-canary.1 1.0.0-next.2 1.0.0-next.10 1.0.0-rc.1 1.0.0";
    expect(wrongOrder(names.split(" ").map((text) => [text]))).toEqual([]);
  });
});

it.each(["", "latest", "v", "nightly-2024", `1.${"0.".repeat(200)}0`, "1.0\n", "１.０", `1.${"9".repeat(400)}`])(
  "%j is no version",
  (text) => expect(parseVersion(text)).toBeUndefined(),
);

it("takes no time for a long hostile text", () => {
  const started = performance.now();
  for (const part of ["1.", "a", "1.0-", "+a.", "0-a."]) parseVersion(`1.0${part.repeat(80)}!`);
  expect(performance.now() - started).toBeLessThan(500);
});

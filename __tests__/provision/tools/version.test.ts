import { describe, expect, it } from "vitest";
import { isAtLeast, parseVersion } from "../../../src/provision/tools/version.js";

describe("versions", () => {
  it("are found in what tools print", () => {
    expect(parseVersion("oha 1.16.0")).toBe("1.16.0");
    expect(parseVersion("uv 0.13.8 (x86_64-unknown-linux-gnu)")).toBe("0.13.8");
    expect(parseVersion("no version")).toBeUndefined();
  });

  it("compare number by number", () => {
    expect(isAtLeast("1.16.0", "1.9.9")).toBe(true);
    expect(isAtLeast("1.9.9", "1.16.0")).toBe(false);
    expect(isAtLeast("1.16.0", "1.16")).toBe(true);
    expect(isAtLeast("3.10.0", "3.10")).toBe(true);
    expect(isAtLeast("2", "1.16.0")).toBe(true);
    expect(isAtLeast("1.16", "1.16.1")).toBe(false);
  });
});

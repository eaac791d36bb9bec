import { describe, expect, it } from "vitest";
import { environmentKey } from "../../../src/provision/environments/key.js";
import { environmentSpec } from "../../support/provisioning.js";

describe("environmentKey", () => {
  it("is the same for the same requirements, in any order and number", () => {
    const one = environmentKey(environmentSpec({ requires: ["a", "b"] }));
    expect(environmentKey(environmentSpec({ requires: ["b", "a", "b"] }))).toBe(one);
    expect(environmentKey(environmentSpec({ requires: ["a", "b"], systemPackages: ["libev-dev"] }))).toBe(one);
  });

  it("is the same for servers that differ by their command alone", () => {
    const [one, other] = ["tuned", "usual"].map((server) => environmentKey(environmentSpec({ server })));
    expect(one).toBe(other);
  });

  it("tells requirements, Pythons, distributions and what an older release needs apart", () => {
    const specs = [
      environmentSpec(),
      environmentSpec({ requires: ["six", "other"] }),
      environmentSpec({ requires: ["six,other"] }),
      environmentSpec({ own: ["six"] }),
      environmentSpec({ older: [{ before: "2", requires: ["other"] }] }),
      environmentSpec({ python: "3.13" }),
      environmentSpec({ distribution: "other" }),
    ];
    expect(new Set(specs.map(environmentKey)).size).toBe(specs.length);
  });
});

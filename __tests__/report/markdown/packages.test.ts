import { describe, expect, it } from "vitest";
import { packageLists } from "../../../src/report/markdown/packages.js";
import { completed, granian } from "../../support/results.js";

const uvloop = { ...granian, version: "2.8.7", python: "3.11.7", packages: ["granian==2.8.7", "uvloop==0.23.0"] };
const plain = { ...uvloop, packages: ["granian==2.8.7"] };

function row(name: string, server: typeof uvloop, connections = 64) {
  return completed(`interfaces/${name}`, name, connections, 1000, { server });
}

describe("packageLists", () => {
  it("has each environment once, under its server", () => {
    const cases = [row("rsgi-bytes", uvloop), row("rsgi-bytes", uvloop, 128), row("rsgi-str", uvloop)];
    expect(packageLists(cases)).toEqual([{ name: "Granian 2.8.7 (Python 3.11.7)", lines: uvloop.packages }]);
  });

  it("names the rows where two lists have the same server, version and Python", () => {
    const wsgi = ["bytes", "str", "echo", "get-1kb"].map((name) => row(`wsgi-${name}`, plain));
    expect(packageLists([row("rsgi-bytes", uvloop), ...wsgi]).map(({ name }) => name)).toEqual([
      "Granian 2.8.7 (Python 3.11.7): interfaces/rsgi-bytes",
      "Granian 2.8.7 (Python 3.11.7): interfaces/wsgi-bytes, interfaces/wsgi-str, interfaces/wsgi-echo and 1 more",
    ]);
  });
});

/** Which release a tag of a real checkout is compared with. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findReleaseTags } from "../../src/release/checkout-tags.js";
import { commit, git, newRepository } from "../support/repository.js";

let temp: string;
let cwd: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  cwd = newRepository(join(temp, "checkout"));
  for (const tag of ["v0.9.0", "v1.2.0", "v1.3.0"]) {
    commit(cwd, { "app.py": tag });
    git(cwd, "tag", tag);
  }
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

const find = (tag: string, previous?: string) =>
  findReleaseTags({ tag, previous, cwd, options: { tag: "--tag", previous: "--previous" } });

describe("a tag that moves with every release", () => {
  it("is no release of its own", async () => {
    git(cwd, "tag", "v1");
    await expect(find("v1")).rejects.toThrow(
      "--tag v1: is another name of v1.3.0, which is the same commit: release that, or name the tag before it with --previous",
    );
    expect(await find("v1.3.0")).toMatchObject({ previous: { kind: "found", tag: "v1.2.0" } });
    expect(await find("v1", "v1.2.0")).toMatchObject({ previous: { kind: "found", tag: "v1.2.0" } });
  });

  it("is not a version of three numbers, whatever else names its commit", async () => {
    git(cwd, "tag", "v1.3.0.1");
    expect(await find("v1.3.0")).toMatchObject({ previous: { kind: "found", tag: "v1.2.0" } });
  });

  it("is one where no other tag names it", async () => {
    commit(cwd, { "app.py": "2" });
    git(cwd, "tag", "v2");
    expect(await find("v2")).toMatchObject({ previous: { kind: "found", tag: "v1.3.0" } });
  });
});

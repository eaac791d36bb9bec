import { describe, expect, it } from "vitest";
import { previousTag, readTag } from "../../src/release/tags.js";

describe("previousTag", () => {
  it.each([
    ["v1.10.0", ["v1.9.0", "v1.2.0", "v1.10.0", "v1.11.0"], "v1.9.0"],
    ["1.2.3", ["1.2.2", "v1.2.1"], "1.2.2"],
    ["granian-1.2.0", ["granian-1.1.0", "other-1.1.9", "1.1.9", "granian-1.2.0"], "granian-1.1.0"],
    ["pkg/v2.0.0", ["pkg/v1.0.0", "v1.9.0"], "pkg/v1.0.0"],
    ["@scope/pkg@2.0.0", ["@scope/pkg@1.0.0"], "@scope/pkg@1.0.0"],
    // A final release follows a final one, a pre-release follows what came before it.
    ["v2.0.0", ["v1.9.0", "v2.0.0-rc.1", "v2.0.0rc2"], "v1.9.0"],
    ["v2.0.0-rc.2", ["v1.9.0", "v2.0.0-rc.1", "v2.0.0"], "v2.0.0-rc.1"],
    ["v2.0.0-rc.1", ["v1.9.0", "v2.0.0"], "v1.9.0"],
    ["v1.0.0", ["v1.0.0-rc.1", "v1.0.0-rc.2"], "v1.0.0-rc.2"],
    // Tags that move with every release.
    ["v1.2.0", ["v1", "v1.1", "v1.1.0", "v1.1.4", "v1.2"], "v1.1.4"],
    ["v1.0.1", ["v1", "v1.0", "v1.0.0"], "v1.0.0"],
    ["1.2.1", ["1.1", "1.2"], "1.2"],
    ["v3", ["v1", "v2", "v3"], "v2"],
    ["1.0.post1", ["1.0", "0.9"], "1.0"],
    ["2024.2", ["2024.1", "2023.12", "nightly"], "2024.1"],
  ])("%s of %j: %s", (tag, tags, expected) => {
    expect(previousTag(tags, tag)).toMatchObject({ kind: "found", tag: expected });
    expect(previousTag(tags.toReversed(), tag)).toMatchObject({ kind: "found", tag: expected });
  });

  it("is a first release without an earlier version, and names the tags that it ignored", () => {
    expect(previousTag(["nightly", "v2.0.0", "backup/old"], "v1.0.0")).toEqual({
      kind: "first",
      ignored: ["nightly", "backup/old"],
    });
    expect(previousTag([], "v1.0.0")).toEqual({ kind: "first", ignored: [] });
  });

  it("the same version under two names is not its own predecessor", () => {
    expect(previousTag(["1.0.0", "v1.0"], "v1.0.0")).toMatchObject({ kind: "first" });
  });

  it("finds nothing for a tag without a version", () => {
    expect(previousTag(["v1.0.0"], "nightly")).toEqual({ kind: "no-version" });
  });
});

describe("readTag", () => {
  it.each([
    ["v1.2.3", ""],
    ["V1.2", ""],
    ["granian-1.2.3", "granian-"],
    ["Granian_v1.2", "granian_"],
    ["a-b-1.0rc1", "a-b-"],
  ])("%s has the prefix %j", (tag, prefix) => expect(readTag(tag)).toMatchObject({ tag, prefix }));
  it.each(["nightly", "release-candidate", "fix-123abc"])("%s is none", (tag) => {
    expect(readTag(tag)).toBeUndefined();
  });
});

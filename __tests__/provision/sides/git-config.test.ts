import { expect, it } from "vitest";
import { neutralOptions } from "../../../src/provision/sides/git-config.js";

it("stops every kind of program that a repository's configuration can name, and nothing else", () => {
  const names = ["core.bare", "branch.main.remote", "remote.origin.url", "http.https://github.com/.extraheader"];
  expect(neutralOptions(names)).toEqual([]);
  const settings = neutralOptions([
    ...names,
    "filter.lfs.smudge",
    "filter.lfs.process",
    "diff.word.textconv",
    "merge.mine.driver",
    "credential.helper",
    "credential.https://example.org.helper",
    "hook.mine.command",
  ]).filter((option) => option !== "-c");
  expect(settings).toEqual([
    ...["filter.lfs.clean=", "filter.lfs.smudge=", "filter.lfs.process=", "filter.lfs.required=false"],
    ...["diff.word.textconv=", "diff.word.command=", "merge.mine.driver="],
    ...["credential.helper=", "credential.https://example.org.helper="],
    ...["hook.mine.event=", "hook.mine.enabled=false"],
  ]);
});

it.each(["filter.a=b.clean", "remote.origin.uploadpack", "remote.origin.vcs"])(
  "refuses %s, which no option stops",
  (name) => {
    expect(() => neutralOptions([name])).toThrow(`names a program in ${name}: remove it`);
  },
);

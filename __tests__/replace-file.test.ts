import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SetupError } from "../src/errors.js";
import { replaceFile } from "../src/replace-file.js";
import { tempFolder } from "./support/cli.js";

it("replaces a link, and leaves alone what it leads to", async () => {
  const temp = tempFolder();
  const outside = join(temp, "outside");
  writeFileSync(outside, "of somebody else");
  const out = join(temp, "out");
  mkdirSync(out);
  symlinkSync(outside, join(out, "notes.md"));
  linkSync(outside, join(out, "report.md"));
  for (const name of ["notes.md", "report.md"]) {
    await replaceFile(join(out, name), "ours");
    expect(lstatSync(join(out, name)).isSymbolicLink()).toBe(false);
    expect(readFileSync(join(out, name), "utf8")).toBe("ours");
  }
  expect(readFileSync(outside, "utf8")).toBe("of somebody else");
  expect(readdirSync(out).sort()).toEqual(["notes.md", "report.md"]);
});

it("writes nothing into a folder that is a link", async () => {
  const temp = tempFolder();
  mkdirSync(join(temp, "outside"));
  symlinkSync(join(temp, "outside"), join(temp, "logs"));
  const failure = await replaceFile(join(temp, "logs", "a.log"), "text").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SetupError);
  expect(String(failure)).toMatch(/cannot write .*a\.log: .*\/logs is a link, and nothing is written through links/);
  expect(readdirSync(join(temp, "outside"))).toEqual([]);
});

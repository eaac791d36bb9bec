/** An output that cannot be written is found before anything is installed. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkOutputFolder } from "../../src/commands/output-folder.js";
import { InputError } from "../../src/errors.js";

const temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
afterAll(() => rmSync(temp, { recursive: true, force: true }));
writeFileSync(join(temp, "file"), "");
mkdirSync(join(temp, "odd", "report.md"), { recursive: true });

mkdirSync(join(temp, "linked"));
symlinkSync("/nowhere", join(temp, "linked", "results.json"));
symlinkSync(join(temp, "odd"), join(temp, "link"));
mkdirSync(join(temp, "drawn"));
symlinkSync(temp, join(temp, "drawn", "charts"));

test.each([
  ["link", /^out .*\/link: .*\/link is a link, and nothing is written through links; give the folder itself$/],
  ["linked", /^out .*\/linked: .*\/linked\/results\.json is a link, /],
  ["drawn", /^out .*\/drawn: .*\/drawn\/charts is a link, /],
  ["file", /^out .*\/file: .*\/file is a file; give a folder$/],
  ["file/deeper/still", /^out .*\/still: .*\/file is a file; give a folder$/],
  ["odd", /^out .*\/odd: .*\/odd\/report\.md is no file, so that it cannot be replaced$/],
  // Root may write everywhere but here.
  ["/proc/server-bench", /^out \/proc\/server-bench: cannot be written \(ENOENT: .*; give another folder$/],
])("%s", async (folder, message) => {
  const path = folder.startsWith("/") ? folder : join(temp, folder);
  const failure = await checkOutputFolder(path, "out").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InputError);
  expect((failure as InputError).message).toMatch(message);
});

test("a folder that can be made leaves nothing behind", async () => {
  await checkOutputFolder(join(temp, "new", "deeper"), "out");
  await checkOutputFolder(join(temp, "odd", "empty"), "out");
  expect(readdirSync(temp).sort()).toEqual(["drawn", "file", "link", "linked", "odd"]);
  expect(readdirSync(join(temp, "odd"))).toEqual(["report.md"]);
});

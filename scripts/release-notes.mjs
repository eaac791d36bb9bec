/**
 * The text of a release's page:
 *   node scripts/release-notes.mjs vX.Y.Z
 * prints the section "## X.Y.Z" of CHANGELOG.md. It fails when the tag is not package.json's version, or when that
 * section is missing or empty.
 */
import { readFile } from "node:fs/promises";

const [tag = ""] = process.argv.slice(2);
try {
  process.stdout.write(`${await notesOf(tag)}\n`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function notesOf(tag) {
  const version = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
  if (version === undefined) throw new Error(`"${tag}" is no release tag: a release tag looks like v1.2.3`);
  const declared = JSON.parse(await readFile("package.json", "utf8")).version;
  if (declared !== version)
    throw new Error(`the tag is ${tag}, but package.json says ${declared}: commit the version before you tag it`);
  const notes = section(await readFile("CHANGELOG.md", "utf8"), version);
  if (!notes) throw new Error(`CHANGELOG.md has no section "## ${version}", or it is empty: write it before you tag`);
  return notes;
}

/** The text between `## 1.2.3`, with or without a date behind it, and the next heading of its level. */
function section(changelog, version) {
  const [, ...sections] = `\n${changelog}`.split(/\n## /);
  const found = sections.find((text) => text.split(/\s/, 1)[0] === version);
  return found?.slice(found.indexOf("\n")).trim();
}

/** README, docs/, evaluation/, CONTRIBUTING and CHANGELOG: what they link to is there, and what they show is valid. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { snippets, yamlSnippets } from "../../scripts/snippets.mjs";
import { COMMANDS, type CommandSpec } from "../../src/options/commands.js";
import { anchorsIn, linksIn, type Page, pages } from "../support/pages.js";
import { ROOT } from "../support/workflows.js";

const all = pages();

/** Why a link leads nowhere; undefined: it does. */
function problemOf(page: Page, target: string): string | undefined {
  if (/^https:\/\//.test(target)) return undefined;
  if (/^[a-z]+:|^\//i.test(target)) return `${target} is neither https nor relative`;
  const [path = "", anchor] = decodeURI(target).split("#");
  const file = path === "" ? normalize(page.file) : normalize(join(dirname(page.file), path));
  if (!existsSync(join(ROOT, file))) return `${target}: there is no ${file}`;
  if (anchor === undefined) return undefined;
  const linked = { file, text: readFileSync(join(ROOT, file), "utf8") };
  return anchorsIn(linked).has(anchor) ? undefined : `${target}: ${file} has no heading for #${anchor}`;
}

test("the pages are those that a newcomer starts with", () => {
  expect(all.map(({ file }) => file)).toEqual(
    expect.arrayContaining([
      "README.md",
      "CONTRIBUTING.md",
      "CHANGELOG.md",
      "docs/security.md",
      "evaluation/README.md",
    ]),
  );
});

describe.each(all.map((page) => [page.file, page] as const))("%s", (_, page) => {
  it("links to files and headings that exist", () => {
    expect(linksIn(page).flatMap((target) => problemOf(page, target) ?? [])).toEqual([]);
  });

  it("shows YAML that parses", () => {
    for (const { line, text } of yamlSnippets(page.text))
      expect(() => parse(text), `${page.file}:${line}`).not.toThrow();
  });

  it("shows commands and options that exist", () => {
    const shown = snippets(page.text).flatMap(({ language, text }) => (language === "sh" ? text.split("\n") : []));
    for (const line of shown.filter((one) => one.startsWith("node dist/cli.js"))) {
      const [, , command = "", ...words] = (line.split(" # ")[0] ?? "").trim().split(/\s+/);
      const spec = Object.entries<CommandSpec>(COMMANDS).find(([name]) => name === command)?.[1];
      const options = words.flatMap((word) => /^--([\w-]+)/.exec(word)?.[1] ?? []);
      expect(Object.keys(spec?.options ?? {}), line).toEqual(expect.arrayContaining(options));
    }
  });

  it("names files of this repository that exist", () => {
    const lines = page.text.split("\n").filter((line) => !line.includes("<!-- verify -->"));
    const named = lines.flatMap((line) => [
      ...line.matchAll(/`((?:src|__tests__|scripts|evaluation|scenarios|python-apps)\/[\w./-]*)`/g),
    ]);
    expect(named.flatMap(([, file = ""]) => (existsSync(join(ROOT, file)) ? [] : [file]))).toEqual([]);
  });
});

test("README links every page of docs/", () => {
  const readme = all.find(({ file }) => file === "README.md");
  const linked = (readme ? linksIn(readme) : []).map((target) => normalize(target));
  expect(all.flatMap(({ file }) => (file.startsWith("docs/") && !linked.includes(file) ? [file] : []))).toEqual([]);
});

describe("the reader of links", () => {
  const page = (text: string): Page => ({ file: "docs/page.md", text });

  it("finds a link that leads nowhere", () => {
    const links = linksIn(page("[a](gone.md) ![b](../gone.png) [c](#gone) [d](../README.md#gone) `[e](code.md)`"));
    expect(links.map((target) => problemOf(page("# Here"), target))).toEqual([
      "gone.md: there is no docs/gone.md",
      "../gone.png: there is no gone.png",
      expect.stringContaining("#gone"),
      "../README.md#gone: README.md has no heading for #gone",
    ]);
  });

  it("makes anchors as GitHub does", () => {
    const text = "# What it costs\n## What it costs\n### `results.json`, and [more](x.md)!\n```\n# no heading\n```\n";
    expect([...anchorsIn(page(text))]).toEqual(["what-it-costs", "what-it-costs-1", "resultsjson-and-more"]);
  });
});

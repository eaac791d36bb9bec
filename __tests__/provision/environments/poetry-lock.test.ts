/**
 * Locks in the form that Poetry 2.4 writes, and what is installed of them. Their content hashes were computed with Python, by the
 * rule of Poetry's Locker.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exportPoetryLock } from "../../../src/provision/environments/poetry-lock.js";

const NOTHING = { extras: [], groups: [] };

function project(name: string) {
  const folder = new URL(`./poetry/${name}/`, import.meta.url);
  const text = (file: string) => readFileSync(new URL(file, folder), "utf8");
  return { folder: "/shop", lock: text("poetry.lock"), pyproject: text("pyproject.toml") };
}

function exported(given: Parameters<typeof exportPoetryLock>[0]) {
  const result = exportPoetryLock(given);
  if (result.kind === "refused") throw new Error(result.headline);
  return { ...result, lines: result.text.split("\n").filter((line) => /^\S/.test(line)) };
}

const names = (lines: readonly string[]) => lines.map((line) => /^[\w-]+/.exec(line)?.[0]);

describe("a lock of Poetry 2", () => {
  it("gives the group main with versions, markers and hashes", () => {
    const { lines, text, hashed } = exported({ ...project("standard"), ...NOTHING });
    expect(names(lines)).toEqual(["colorama", "six"]);
    expect(lines[0]).toBe('colorama==0.4.6 ; (python_version < "3") \\');
    expect(text).toContain("\nsix==1.16.0 \\\n    --hash=sha256:8abb2f1d");
    expect(hashed).toBe(true);
  });

  it("gives groups and extras that are asked for", () => {
    const { lines } = exported({ ...project("standard"), extras: ["Color"], groups: ["web"] });
    expect(names(lines)).toEqual(["colorama", "six", "waitress"]);
    expect(lines[0]).toBe('colorama==0.4.6 ; (python_version >= "3") \\');
    const developers = exported({ ...project("standard"), extras: [], groups: ["dev"] });
    expect(developers.lines[0]).toBe('colorama==0.4.6 ; (python_version < "3") or (sys_platform == "win32") \\');
    const refused = (fields: object) => exportPoetryLock({ ...project("standard"), ...NOTHING, ...fields });
    expect(refused({ extras: ["colour"] })).toMatchObject({ headline: "poetry.lock has no extra colour" });
    expect(refused({ groups: ["prod"] })).toMatchObject({ headline: "pyproject.toml has no dependency group prod" });
  });

  it("may belong to a pyproject.toml without [project]", () => {
    const { lines } = exported({ ...project("poetry-only"), ...NOTHING });
    expect(lines).toEqual(["six==1.16.0 \\", 'tzdata==2026.1 ; sys_platform == "win32" \\']);
  });

  it.each(["standard", "poetry-only"])("is stale where pyproject.toml asks for something else: %s", (name) => {
    const given = project(name);
    const pyproject = given.pyproject.replace("1.16", "1.15");
    expect(exportPoetryLock({ ...given, ...NOTHING, pyproject })).toEqual({
      kind: "refused",
      headline: "poetry.lock is stale: pyproject.toml asks for something else",
      remedy: "run `poetry lock` and commit the lock",
    });
    // Not a part that decides on the lock.
    const described = given.pyproject.replace('version = "1.0.0"', 'version = "2.0.0"');
    expect(described).not.toBe(given.pyproject);
    expect(exportPoetryLock({ ...given, ...NOTHING, pyproject: described }).kind).toBe("requirements");
  });

  it("names folders, repositories and files by their address, without hashes where they are built", () => {
    const given = project("standard");
    const source = (fields: string) =>
      given.lock.replace(/(name = "six"\n(?:.+\n)+)/, `$1\n[package.source]\n${fields}\n`);
    const line = (fields: string) => {
      const { lines, hashed } = exported({ ...given, ...NOTHING, lock: source(fields) });
      return [lines.find((one) => one.startsWith("six")), hashed];
    };
    expect(line('type = "directory"\nurl = "../six"')).toEqual(["six @ file:///six", false]);
    const git = 'type = "git"\nurl = "https://git.example/b.git"\nreference = "main"\nresolved_reference = "abc"';
    expect(line(git)).toEqual(["six @ git+https://git.example/b.git@abc", false]);
    expect(line(`${git}\nsubdirectory = "lib"`)[0]).toBe("six @ git+https://git.example/b.git@abc#subdirectory=lib");
    expect(line('type = "url"\nurl = "https://files.example/b.whl"')).toEqual([
      "six @ https://files.example/b.whl \\",
      true,
    ]);
    const scp = 'type = "git"\nurl = "git@git.example:org/b.git"\nreference = "main"\nresolved_reference = "abc"';
    expect(line(scp)[0]).toBe("six @ git+ssh://git@git.example/org/b.git@abc");
  });
});

it("a package of an index of the project's own is looked up there too", () => {
  const given = project("standard");
  const own = '[package.source]\ntype = "legacy"\nurl = "https://index.example/simple"\nreference = "own"\n';
  const lock = given.lock.replace(/(name = "(?:six|colorama)"\n(?:.+\n)+)/g, `$1\n${own}`);
  const { lines, text } = exported({ ...given, ...NOTHING, lock });
  expect(text).toMatch(/^--extra-index-url https:\/\/index\.example\/simple\n/);
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["--extra-index-url", "colorama==0.4.6", "six==1.16.0"]);
});

describe("a lock that cannot be used", () => {
  it("is one of Poetry 1, without groups", () => {
    expect(exportPoetryLock({ ...project("poetry-1"), ...NOTHING })).toEqual({
      kind: "refused",
      headline: "poetry.lock has the format 2.0 of Poetry 1, which does not record the group of a package",
      remedy: "run `poetry lock` with Poetry 2 and commit the lock",
    });
  });

  it("is damaged", () => {
    const given = project("standard");
    const damaged = given.lock.replace('name = "six"\n', "");
    expect(exportPoetryLock({ ...given, ...NOTHING, lock: damaged })).toMatchObject({
      headline: expect.stringMatching(/^poetry\.lock cannot be read \(package\.2\.name\)$/),
    });
    expect(() => exportPoetryLock({ ...given, ...NOTHING, lock: "[[package\n" })).toThrow(
      /poetry\.lock:1: not valid TOML/,
    );
  });
});

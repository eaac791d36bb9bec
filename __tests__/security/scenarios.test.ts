/** Scenario files that would fill the memory, or plan a run of weeks: refused with file, line and field. */
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { parseServersFile, parseSetFile } from "../../src/plan/files.js";
import { planRun } from "../../src/plan/plan.js";
import { SERVERS, toolFolder } from "../support/scenarios.js";

function refusal(text: string): string {
  try {
    parseSetFile(text, "mine.yml");
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return "accepted";
}

/** @param files beside servers.yml */
async function planned(files: Readonly<Record<string, string>>): Promise<number> {
  const root = await toolFolder({ "servers.yml": SERVERS, ...files });
  const { sets } = await planRun({ root, cwd: root, selectors: [], profile: "standard", cores: 4 });
  return sets.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Nine lines that stand for ten to the power of nine values. */
function bomb(): string {
  const lines = [..."bcdefghi"].map((name, i) => `  ${name}: &${name} [${`*${"abcdefghi"[i]}, `.repeat(10)}]`);
  return ["defaults:", "  a: &a [x, x, x, x, x, x, x, x, x, x]", ...lines].join("\n");
}

const row = (more: string, title = "R") =>
  `  - { title: "${title}", server: fast, interface: asgi, request: hello${more} }\n`;
const set = (...rows: readonly string[]) => `title: Mine\nrows:\n${rows.join("")}`;
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1).join(", ");

describe("a YAML file", () => {
  it("has aliases for so many values at most", () => {
    expect(refusal(bomb())).toMatch(
      /^mine\.yml:6: defaults\.e\[\d\]: the aliases up to here stand for more than 20000 values$/,
    );
    expect(() => parseServersFile(bomb(), "servers.yml")).toThrow(InputError);
  });

  it("has no alias within its own value, and none without an anchor", () => {
    expect(refusal("title: A\nrows: &r\n  - *r\n")).toBe(
      "mine.yml:3: rows[0]: the alias *r stands for a value that contains the alias itself",
    );
    expect(refusal("title: A\nrows: *none\n")).toMatch(/^mine\.yml:2.*none/);
  });

  it("is indented with spaces", () => {
    const message = "a tab is in the indentation: YAML indents with spaces";
    expect(refusal("title: A\nrows:\n\t- { title: B }\n")).toMatch(new RegExp(`^mine\\.yml:3:\\d+: ${message}$`));
    expect(refusal("title: A\ndefaults:\n  server: x\n \tapp: y\n")).toMatch(
      new RegExp(`^mine\\.yml:4:\\d+: ${message}$`),
    );
  });

  it("has no merge keys", () => {
    const text = "title: A\ndefaults: &d { server: x }\nrows:\n  - { title: B, <<: *d }\n";
    expect(refusal(text)).toBe(
      "mine.yml:4: rows[0].<<: YAML 1.2 has no merge key: write the fields, or start from another entry with extends",
    );
  });

  it("may share values by aliases", () => {
    const shared = `title: A\ndefaults: { env: &e { A: "1" } }\nrows:\n${`  - { title: B, env: *e }\n`.repeat(300)}`;
    expect(refusal(shared)).toBe("accepted");
  });

  it.each([60, 5_000, 100_000])("is not nested %i levels deep", (depth) => {
    const text = `title: A\nrows: ${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(refusal(text)).toMatch(/^mine\.yml:2(:\d+| *: rows(\[0\])*)[^:]*: is nested deeper than 32 levels$/);
  });

  it("has a size", () => {
    expect(refusal(`# ${"x".repeat(600_000)}\n`)).toMatch(
      /^mine\.yml: has \d+ characters; a scenario file may have 524288: split it$/,
    );
  });
});

describe("a set", () => {
  it("has matrices of so many combinations", async () => {
    const matrix = (count: number) => `, matrix: { workers: [${numbers(count)}], loop: [asyncio, uvloop] }`;
    expect(await planned({ "mine.yml": set(row(matrix(500), "w{workers}")) })).toBe(1000);
    await expect(planned({ "mine.yml": set(row(matrix(501))) })).rejects.toThrow(
      /mine\.yml:3: rows\[0\]\.matrix: has more than 1000 combinations: use fewer values$/,
    );
    const huge = ["workers", "loop", "http", "a", "b", "c", "d"].map((name) => `${name}: [${numbers(50)}]`);
    await expect(planned({ "mine.yml": set(row(`, matrix: { ${huge.join(", ")} }`)) })).rejects.toThrow(
      /rows\[0\]\.matrix: has more than 1000 combinations/,
    );
  });

  it("has so many rows, over all of its entries", async () => {
    const half = (name: string) => row(`, matrix: { workers: [${numbers(600)}] }`, name);
    await expect(planned({ "mine.yml": set(half("A"), half("B")) })).rejects.toThrow(
      /mine\.yml:4: rows\[1\]: up to here the set has more than 1000 rows: split the set$/,
    );
  });

  it("has titles, columns and a name that a results file can hold", async () => {
    await expect(planned({ "mine.yml": set(row("", "x".repeat(201))) })).rejects.toThrow(
      /mine\.yml:3: rows\[0\]\.title: .*at most 200 characters/,
    );
    await expect(planned({ "mine.yml": `charts: [rps, mean, rps]\n${set(row(""))}` })).rejects.toThrow(
      /mine\.yml:1: charts\[2\]: "rps" is there twice$/,
    );
    await expect(planned({ [`${"x".repeat(65)}.yml`]: set(row("")) })).rejects.toThrow(
      /x\.yml: the name of a set has at most 64 characters: rename the file$/,
    );
  });
});

describe("a plan", () => {
  it("has so many cases", async () => {
    const of = (connections: number) =>
      set(row(`, connections: [${numbers(connections)}], matrix: { workers: [${numbers(1000)}] }`));
    expect(await planned({ "mine.yml": of(5) })).toBe(1000);
    await expect(planned({ "mine.yml": of(3), "other.yml": of(3) })).rejects.toThrow(
      "the selected rows have 6000 cases, at most 5000: select fewer of them",
    );
  });
});

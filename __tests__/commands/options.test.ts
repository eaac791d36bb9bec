import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/commands/command-specs.js";
import { helpText } from "../../src/commands/help.js";
import { parseArguments, repeatOf } from "../../src/commands/options.js";

describe("arguments", () => {
  test("selectors, values and flags", () => {
    const parsed = parseArguments([
      "run",
      "interfaces",
      "--profile",
      "quick",
      "--server=granian=.",
      "--server",
      "uvicorn=0.30",
      "--json",
      "http2",
    ]);
    expect(parsed).toMatchObject({ name: "run", positionals: ["interfaces", "http2"] });
    if (parsed.name !== "run") return;
    expect(parsed.values.get("profile")).toEqual(["quick"]);
    expect(parsed.values.get("server")).toEqual(["granian=.", "uvicorn=0.30"]);
    expect(parsed.flags.has("json")).toBe(true);
  });

  test.each([
    [["rnu"], 'unknown command "rnu"; did you mean "run"? commands: list, setup, run, compare, report'],
    [["run", "--profil", "quick"], 'unknown option --profil for "run"; did you mean "--profile"?'],
    [["run", "--profile"], "--profile needs a value: --profile NAME"],
    [["run", "--profile", "--json"], "--profile needs a value"],
    [["run", "--out="], "--out needs a value"],
    [["run", "--out", "a", "--out", "b"], "--out is given twice"],
    [["run", "--json=yes"], '--json takes no value (got "yes")'],
    [["list", "-x"], 'unknown option -x for "list"'],
  ])("%j", (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(message);
  });

  test("help names every command and option", () => {
    const text = helpText();
    for (const [name, { options }] of Object.entries(COMMANDS)) {
      expect(text).toContain(`  ${name} `);
      for (const option of Object.keys(options))
        expect(helpText(name as keyof typeof COMMANDS)).toContain(`--${option}`);
    }
  });
});

test("the command to repeat keeps every option that can change the outcome", () => {
  const args = ["run", "interfaces", "--memory-limit", "64", "--profile", "quick", "--out", "there", "--wait", "5"];
  const parsed = parseArguments(args);
  if (parsed.name !== "run") throw new Error(parsed.name);
  const repeated = ["run", "interfaces", "--memory-limit", "64", "--profile", "quick"];
  expect(repeatOf(parsed, "dist/cli.js")).toEqual(["node", "dist/cli.js", ...repeated]);
});

test("an earlier name of an option still works, and the help shows the new one", () => {
  const parsed = parseArguments(["compare", "a.json", "b.json", "--tested", "granian"]);
  if (parsed.name !== "compare") throw new Error(parsed.name);
  expect(parsed.values.get("server-under-test")).toEqual(["granian"]);
  expect(repeatOf(parsed, "dist/cli.js")).toEqual([
    "node",
    "dist/cli.js",
    "compare",
    "a.json",
    "b.json",
    "--server-under-test",
    "granian",
  ]);
  expect(helpText("compare")).toContain("--server-under-test SERVER");
  expect(helpText("compare")).not.toContain("--tested");
});

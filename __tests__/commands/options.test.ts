import { describe, expect, test } from "vitest";
import { helpText } from "../../src/commands/help.js";
import { parseArguments, repeatOf } from "../../src/commands/options.js";
import { COMMANDS, type CommandSpec } from "../../src/options/commands.js";
import { descriptionOf, INPUTS, OUTPUTS } from "../../src/options/inputs.js";

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
    [["rnu"], 'unknown command "rnu"; did you mean "run"? commands: run, release, init, list, setup'],
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
});

describe("help", () => {
  const names = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];

  test("names every command, and what their exit codes mean, on two screens", () => {
    const lines = helpText().split("\n");
    for (const name of names) expect(lines.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
    expect(lines.length).toBeLessThanOrEqual(48);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test.each(names)("of %s has a line for each option, on two screens", (name) => {
    const { options }: CommandSpec = COMMANDS[name];
    const lines = helpText(name).split("\n");
    for (const option of Object.keys(options))
      expect(lines.filter((line) => new RegExp(`^  --${option}( |$)`).test(line))).toHaveLength(1);
    expect(lines.length).toBeLessThanOrEqual(48);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});

describe("texts of options, inputs and outputs", () => {
  const words = (text: string) => text.split(/\s+/).length;
  const options = Object.values<CommandSpec>(COMMANDS).flatMap((one) => Object.entries(one.options));

  test("an option is explained in 15 words", () => {
    expect(options.filter(([, { help }]) => words(help) > 15)).toEqual([]);
  });

  test("an input or output is described in 25 words", () => {
    const described = [...Object.entries(INPUTS), ...Object.entries(OUTPUTS)];
    expect(described.filter(([, one]) => words(descriptionOf(one)) > 25)).toEqual([]);
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
  expect(helpText("compare")).toContain("--server-under-test NAME");
  expect(helpText("compare")).not.toContain("--tested");
});

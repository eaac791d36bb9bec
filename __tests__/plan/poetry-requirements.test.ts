/** Poetry's list of requirements, as pip writes it. */
import { expect, test } from "vitest";
import { poetryRequirements } from "../../src/plan/poetry-requirements.js";
import { parseToml } from "../../src/plan/toml.js";

function texts(list: string, options?: Parameters<typeof poetryRequirements>[1]): string[] {
  const pyproject = parseToml("pyproject.toml", `[tool.poetry.dependencies]\n${list}\n`);
  return poetryRequirements(pyproject, options).map(({ text }) => text);
}

test.each([
  ['"^3.1"', "x>=3.1,<4"],
  ['"^0.2.3"', "x>=0.2.3,<0.3"],
  ['"^0.0.3"', "x>=0.0.3,<0.0.4"],
  ['"^0"', "x>=0,<1"],
  ['"~1.2.3"', "x>=1.2.3,<1.3"],
  ['"~1"', "x>=1,<2"],
  ['"~=1.2"', "x~=1.2"],
  ['"1.2.3"', "x==1.2.3"],
  ['"1.2.*"', "x==1.2.*"],
  ['">=1, <2"', "x>=1,<2"],
  ['"^1.2,!=1.4"', "x>=1.2,<2,!=1.4"],
  ['"^1 || ^2"', "x"],
  ['"*"', "x"],
  ['{ version = "^1", extras = ["a", "b"] }', "x[a,b]>=1,<2"],
  ['{ version = "1.0", markers = "sys_platform == \'linux\'" }', "x==1.0 ; sys_platform == 'linux'"],
  ['{ git = "git@git.example:org/x.git", tag = "v1" }', "x @ git+ssh://git@git.example/org/x.git@v1"],
  ['{ url = "https://files.example/x.whl" }', "x @ https://files.example/x.whl"],
  ['{ path = "../x" }', "x @ file:///home/x"],
])("x = %s", (value, expected) => {
  expect(texts(`x = ${value}`, { folder: new URL("file:///home/shop/") })).toEqual([expected]);
});

test("Python itself, and what belongs to an extra, are left out", () => {
  expect(texts('python = "^3.10"\nx = { version = "1", optional = true }\ny = "2"')).toEqual(["y==2"]);
});

test("of entries for several Pythons, those that fit", () => {
  const list = 'x = [{ version = "1", python = "<3.11" }, { version = "2", python = ">=3.11" }]';
  expect(texts(list)).toEqual(["x==1", "x==2"]);
  expect(texts(list, { python: "3.10.2" })).toEqual(["x==1"]);
  expect(texts(list, { python: "3.12.0" })).toEqual(["x==2"]);
});

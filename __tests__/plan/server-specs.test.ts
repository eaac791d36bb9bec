/** `--server NAME=SPEC`: what is wrong with it is said before anything is installed. */
import { expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { parseServerSpecs } from "../../src/plan/requirements.js";

const parse = (value: string) => parseServerSpecs([value], ["uvicorn"], "/");

it.each([
  ["uvicorn==0.34.0", /: "=0\.34\.0" is no version .*; write uvicorn=0\.34\.0$/],
  ["uvicorn=latest", /: "latest" is no version /],
  ["uvicorn=>=1,,<2", /: ">=1,,<2" is no version /],
  ["uvicorn=0.34.0 --index-url x", / is no version /],
  [`uvicorn=>=1${",>=1".repeat(50_000)}?`, / is no version /],
])("refuses case %#", (value, message) => {
  expect(() => parse(value)).toThrow(InputError);
  expect(() => parse(value)).toThrow(message);
});

it.each([
  "0.34.0",
  "1.0rc1",
  "1!2.0.post1+local",
  "2.*",
  ">=2,<3",
  "~= 1.4",
  "!=1.5, >=1",
  "git+https://a.example/b@main",
])("takes %s", (spec) => {
  expect(parse(`uvicorn=${spec}`).get("uvicorn")).toBe(spec);
});

/** The JSON between the two workflows: read as strictly as if a stranger had written it. */
import { describe, expect, it } from "vitest";
import { allowedOptions } from "../../../src/actions/bench/arguments.js";
import { type BenchRequest, inputsOfRequest, makeRequest, readRequest } from "../../../src/actions/bench/request.js";
import { readInputs } from "../../../src/actions/inputs.js";
import { shaOf } from "../../support/github/double.js";
import { readAction } from "../../support/workflows.js";

const REQUEST = makeRequest({
  ...{ pullRequest: 7, sha: shaOf("head"), base: shaOf("base"), fork: false, key: "request" },
  ...{ arguments: ["http2", "files", "--budget", "10", "--latency"], comment: 1001, by: "maint", replace: false },
});

const read = (request: unknown) => readRequest(JSON.stringify(request));

describe("a request", () => {
  it("comes out as it went in", () => {
    expect(read(REQUEST)).toEqual(REQUEST);
    expect(readRequest("")).toBeUndefined();
  });

  it("takes the place of the workflow's own inputs, and of nothing else", () => {
    const own: Readonly<Record<string, string>> = { scenarios: "interfaces", budget: "45", servers: "granian=." };
    const input = inputsOfRequest(REQUEST, (name) => own[name] ?? "");
    const names = ["scenarios", "budget", "latency", "comment-key", "servers", "profile", "out"];
    expect(names.map(input)).toEqual(["http2 files", "10", "true", "request", "granian=.", "", ""]);
    expect(inputsOfRequest({ ...REQUEST, arguments: [] }, (name) => own[name] ?? "")("scenarios")).toBe("interfaces");
  });

  it("is an input of the action like the others", () => {
    const inputs = readInputs((name) => (name === "request" ? JSON.stringify(REQUEST) : ""), "/");
    expect(inputs).toMatchObject({ request: REQUEST, compare: { budgetMinutes: 10, latency: true } });
    expect(inputs.run.selectors).toEqual(["http2", "files"]);
    expect(inputs.comment.key).toBe("request");
  });

  it.each([
    ["a short commit", { sha: "abc1234" }, /sha: expected a commit's SHA/],
    ["a branch for a base", { base: "main" }, /base: expected a commit's SHA/],
    ["a field that nobody knows", { ref: "refs/pull/7/head" }, /ref/],
    ["a pull request that is no number", { pullRequest: "7" }, /pullRequest/],
    ["a pull request below 1", { pullRequest: 0 }, /pullRequest/],
    ["a login with markup", { by: "[x](y)" }, /by: expected a login/],
    ["another version", { version: 2 }, /version/],
    ["a title of another pull request", { title: "/bench #8 (request)" }, /title/],
    ["a key with a blank", { key: "a b" }, /key/],
    ["an option that is not for commands", { arguments: ["--server", "granian=evil"] }, /--server is not for commands/],
    ["an argument with a blank", { arguments: ["--budget=1 --out=x"] }, /arguments: each is one word/],
    ["an argument of a shell", { arguments: ["$(touch x)"] }, /has a character/],
    ["an argument of two lines", { arguments: ["http2\n::error::x"] }, /arguments: each is one word/],
    ["a prototype", JSON.parse('{"__proto__": {"sha": "x"}}'), /sha|__proto__/],
  ])("is refused with %s", (_, change, said) => {
    const changed: unknown = { ...REQUEST, ...(change as Partial<BenchRequest>) };
    const text = JSON.stringify(changed).replace(/\}$/, Object.hasOwn(change, "__proto__") ? ',"__proto__":{}}' : "}");
    expect(() => readRequest(text)).toThrow(said);
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["a text for days", `"${"x".repeat(5000)}"`],
  ])("is refused where it is %s", (_, text) => {
    expect(() => readRequest(text)).toThrow(/^invalid request: /);
  });
});

describe("the options of a command", () => {
  it("are options of run, and inputs of the action by the same names", () => {
    expect(allowedOptions()).toEqual(expect.arrayContaining(["profile", "budget", "detect", "latency"]));
    expect(Object.keys(readAction().inputs)).toEqual(expect.arrayContaining([...allowedOptions()]));
  });
});

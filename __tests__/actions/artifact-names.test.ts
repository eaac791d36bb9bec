import { expect, it } from "vitest";
import { artifactNames } from "../../src/actions/artifact-names.js";
import { makeRequest } from "../../src/actions/bench/request.js";

const SHA = "a".repeat(40);
const request = makeRequest({
  ...{ pullRequest: 7, sha: SHA, base: SHA, fork: false, arguments: [], key: "http2" },
  ...{ comment: null, by: "maint", replace: false },
});

const namesOf = (key: string, asked?: typeof request) =>
  artifactNames({ comment: { wanted: true, key, author: undefined }, request: asked });

it("have the key of the comment, and no number behind them is part of it", () => {
  expect(namesOf("default")).toEqual({ results: "server-bench-results", plan: "server-bench-plan" });
  expect(namesOf("http2")).toEqual({ results: "server-bench_http2_results", plan: "server-bench_http2_plan" });
  expect(namesOf("2").results).not.toBe(`${namesOf("default").results}-2`);
});

it("are those of a request, whatever its key: they are no baseline", () => {
  expect(namesOf("http2", request)).toEqual({ results: "server-bench-request-results", plan: "server-bench-plan" });
});

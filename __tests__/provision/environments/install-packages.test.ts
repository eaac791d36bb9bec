import { expect, it } from "vitest";
import { installRemedy } from "../../../src/provision/environments/install-packages.js";

// The lines are uv's own, recorded from failed installations.
it.each([
  ["error: No solution found when resolving dependencies", "correct the requirements of bjoern, or check the index"],
  ["  cause: Failed to fetch: http://127.0.0.1:9/simple/attrs/", "check the network and the package index"],
  ["bjoern/request.h:4:10: fatal error: ev.h: No such file or directory", "apt-get install libev-dev"],
  ["error: No space left on device (os error 28)", "free space, or set SERVER_BENCH_CACHE"],
])("a failed installation's way out: %s", (log, remedy) => {
  expect(installRemedy(log, "bjoern", ["libev-dev"])).toContain(remedy);
});

it("names a compiler where the server names no packages", () => {
  expect(installRemedy("fatal error: Python.h: No such file", "x", [])).toContain("build-essential python3-dev");
  expect(installRemedy("something else", "x", [])).toBe("see the last lines of its output");
});

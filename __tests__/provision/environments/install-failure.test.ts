/** The logs in build-logs/ are recorded: what uv 0.13.8 printed for real projects, with paths shortened. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { installFailure } from "../../../src/provision/environments/install-failure.js";
import { describeFailure } from "../../../src/provision/failure-text.js";

const LOG_FILE = "/out/logs/x.log";

function explain(name: string, fields: { requires?: string[]; systemPackages?: string[]; chosen?: string[] } = {}) {
  const log = readFileSync(fileURLToPath(new URL(`build-logs/${name}.log`, import.meta.url)), "utf8");
  return installFailure(log, { server: "tiny", requires: [], systemPackages: [], logFile: LOG_FILE, ...fields });
}

/** As a checkout's requirement is written. */
const checkout = (name: string) => [`${name} @ file:///checkout/${name}`];

describe("the first error of a build", () => {
  it.each([
    ["maturin", "rs", "rs does not build: src/main.rs:3:21: error[E0308]: mismatched types"],
    ["gcc", "cext", "cext does not build: src/cext.c:4:12: error: ‘nothing’ undeclared (first use in this function)"],
    ["setup-py", "syn", "syn does not build: setup.py:3: SyntaxError: invalid syntax. Perhaps you forgot a comma?"],
    [
      "traceback",
      "trace",
      "trace does not build: backend.py:5: json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    ],
    ["backend", "req", "req does not build: no compiler today"],
    ["pyproject", "toml", "toml does not build: pyproject.toml:1:14: unclosed table, expected `]`"],
    ["pyproject-schema", "trace", "trace does not build: pyproject.toml:1:1: missing field `requires`"],
    [
      "hatchling",
      "hatch",
      "hatch-x does not build: ValueError: Unable to determine which files to ship inside the wheel using the following heuristics: https://hatch.pypa.io/latest/plugins/builder/wheel/#default-file-selection",
    ],
    [
      "linker",
      "ld",
      "ld does not build: ld: cannot find -lnotthere; This error likely indicates that you need to install the library that provides a shared library for `notthere` for `ld@1.0` (e.g., `libnotthere-dev`)",
    ],
    [
      "header",
      "hdr",
      "hdr does not build: src/hdr.c:1:10: fatal error: ev_not_there.h: No such file or directory; This error likely indicates that you need to install a library that provides `ev_not_there.h` for `hdr@1.0`",
    ],
  ])("%s", (log, name, line) => {
    const { failure } = explain(log, { requires: checkout(name) });
    expect(describeFailure(failure)).toBe(`${line}; the whole log: ${LOG_FILE}`);
    expect(failure.kind).toBe("build");
  });

  it("blames the side whose checkout it is, and no side for a package of the index", () => {
    const { failure } = explain("maturin", { requires: checkout("rs") });
    expect(failure).toMatchObject({ subject: "rs", fromCheckout: true, location: "src/main.rs:3:21" });
    expect(describeFailure(failure, "head")).toMatch(/^head does not build: src\/main\.rs:3:21: error\[E0308\]/);
    expect(describeFailure(failure, "base")).toMatch(/^base does not build: /);
    const { failure: released } = explain("maturin", { requires: ["rs==1.0"] });
    expect(describeFailure(released, "head")).toMatch(/^rs does not build: /);
  });

  it("is shown with what the compiler points at, from its first line, without uv's indent", () => {
    const [first, second] = explain("maturin").excerpt.split("\n");
    expect([first, second]).toEqual(["error[E0308]: mismatched types", " --> src/main.rs:3:21"]);
    expect(explain("gcc").excerpt).toMatch(/^src\/cext\.c:4:12: error: .*\n +4 \| +return nothing;/);
  });

  it("is cut where a compiler's lines are long", () => {
    const log = Array.from({ length: 40 }, (_, i) => `error: object ${i} ${"x".repeat(5000)}`).join("\n");
    const installation = { server: "tiny", requires: [], systemPackages: [], logFile: LOG_FILE };
    const { failure, excerpt } = installFailure(log, installation);
    expect(failure.headline.length).toBeLessThan(2010);
    expect(excerpt.length).toBeLessThan(20_000);
  });

  it("reads older uv's signs as well", () => {
    const log = [
      "  × Failed to build `mine @ file:///checkout/mine`",
      "  ├─▶ The build backend returned an error",
      "  ╰─▶ Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)",
      "      [stderr]",
      "      \u001b[31mmine.cpp:7:1: fatal error: expected ';'\u001b[0m",
    ].join("\n");
    const installation = { server: "mine", requires: [], systemPackages: [], logFile: LOG_FILE };
    expect(installFailure(log, installation).failure).toMatchObject({
      subject: "mine",
      location: "mine.cpp:7:1",
      headline: "fatal error: expected ';'",
    });
  });
});

describe("other failures", () => {
  it("names the Python where that is what does not fit", () => {
    const log = [
      "error: No solution found when resolving dependencies",
      "  cause: Because the current Python version (3.11.7) does not satisfy Python>=3.12 and you require django==6.1, we can conclude that your requirements are unsatisfiable.",
    ].join("\n");
    const { failure } = installFailure(log, { server: "app shop", requires: [], systemPackages: [], logFile: "" });
    expect(failure.remedy).toBe("name a Python that fits with `python:` of the app, or with --python");
  });

  it.each([
    [
      "version",
      "no-such-version",
      "tiny cannot be installed: there is no version of six==0.0.99; correct the requirements of tiny",
    ],
    [
      "name",
      "no-such-version",
      "tiny cannot be installed: nothing-like-this-xyz was not found in the package registry; correct the requirements",
    ],
    [
      "build-requires",
      "no-such-version",
      "brq cannot be installed: nothing-like-this-xyz was not found in the package registry; correct the requirements",
    ],
    [
      "network",
      "network",
      "tiny cannot be installed: Failed to fetch: http://127.0.0.1:9/simple/attrs/; check the network and the package index",
    ],
    [
      "unauthorized",
      "network",
      "could not be queried due to a lack of valid authentication credentials (401 Unauthorized); put the index's credentials into ~/.netrc",
    ],
  ])("%s", (log, kind, line) => {
    const { failure } = explain(log);
    expect(failure.kind).toBe(kind);
    expect(describeFailure(failure)).toContain(line);
  });

  it("names the distribution of a checkout that was given for another server", () => {
    const requires = ["granian @ file:///checkout/uvicorn"];
    const mismatch = "Package metadata name `uvicorn` does not match given name `granian`";
    const { failure } = explain("other-name", { requires, chosen: ["granian"] });
    expect(describeFailure(failure)).toBe(
      `granian does not build: ${mismatch}; what was given for granian is uvicorn: write --server uvicorn=PATH (input: servers), or give the path of granian; the whole log: ${LOG_FILE}`,
    );
    // An app's own requirement is corrected in the app.
    expect(explain("other-name", { requires }).failure).toMatchObject({ headline: mismatch, remedy: "" });
  });

  it("names the Debian packages of a server whose headers are missing", () => {
    const { failure } = explain("header", { systemPackages: ["libev-dev"] });
    expect(failure.kind).toBe("system-package");
    expect(describeFailure(failure)).toBe(
      `hdr does not build: src/hdr.c:1:10: fatal error: ev_not_there.h: No such file or directory; tiny needs Debian packages: apt-get install libev-dev; the whole log: ${LOG_FILE}`,
    );
    // Its own mistake is no missing package.
    expect(explain("gcc", { systemPackages: ["libev-dev"] }).failure).toMatchObject({ kind: "build", remedy: "" });
  });

  it("names a compiler or Python's headers where these are missing, and a full disk", () => {
    const of = (log: string) =>
      installFailure(log, { server: "x", requires: [], systemPackages: [], logFile: LOG_FILE }).failure;
    expect(of("a.c:1:10: fatal error: Python.h: No such file or directory").remedy).toContain(
      "build-essential python3-dev",
    );
    expect(of("FileNotFoundError: [Errno 2] No such file or directory: 'gcc'")).toMatchObject({
      kind: "system-package",
    });
    expect(of("error: No space left on device (os error 28)").remedy).toContain(
      "free space, or set SERVER_BENCH_CACHE",
    );
    expect(of("something else")).toMatchObject({ kind: "other", headline: "something else", remedy: "" });
  });
});

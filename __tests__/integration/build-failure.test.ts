/** Checkouts that do not build, with real build backends and a real compiler: what is said of each, once per build. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { environmentKey } from "../../src/provision/environments/key.js";
import { provision } from "../../src/provision/provision.js";
import type { EnvironmentState } from "../../src/provision/types.js";
import { environmentSpec, provisioning, rowNeeding } from "../support/provisioning.js";

const TIMEOUT_MS = 240_000;
const SETUPTOOLS = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n';
const PROJECT = '[project]\nname = "mine"\nversion = "1.0"\n';

type Failed = Extract<EnvironmentState, { readonly state: "failed" }>;

/** Provisions a checkout with these files, whose path has a space. */
async function failureOf(
  files: Readonly<Record<string, string>>,
  requires?: readonly string[],
): Promise<Failed & { readonly progressLines: readonly string[] }> {
  const { bin, context, root, progressLines, program } = await provisioning();
  // The load generator is not what is tried here.
  await program("oha", "echo oha 1.16.0");
  const checkout = join(root, "checkout");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(checkout, name)), { recursive: true });
    await writeFile(join(checkout, name), text);
  }
  const spec = environmentSpec({
    server: "mine",
    requires: requires ?? [`mine @ file://${encodeURI(checkout)}`],
    distribution: "mine",
  });
  const env = { ...process.env, SERVER_BENCH_CACHE: context.cache, PATH: `${bin}:${process.env.PATH ?? ""}` };
  const logDir = join(root, "out", "logs");
  const { environments } = await provision([rowNeeding(spec), rowNeeding(spec)], { ...context, env, logDir });
  const state = environments.get(environmentKey(spec));
  if (state?.state !== "failed") throw new Error(`expected a failure, not ${JSON.stringify(state)}`);
  // It outlives the run, whose own folder is removed.
  expect(state.failure?.logFile?.startsWith(logDir)).toBe(true);
  expect(existsSync(state.failure?.logFile ?? "")).toBe(true);
  return { ...state, progressLines };
}

describe("a checkout that does not build", () => {
  it(
    "is said with the compiler's first error, its file and line, and where the log is",
    async () => {
      const { reason, failure, log, progressLines } = await failureOf({
        "pyproject.toml": `${SETUPTOOLS}${PROJECT}`,
        "setup.py": 'from setuptools import Extension, setup\nsetup(ext_modules=[Extension("mine", ["src/mine.c"])])\n',
        "src/mine.c": "#include <Python.h>\n\nstatic int broken(void) {\n    return nothing;\n}\n",
      });
      expect(failure).toMatchObject({
        kind: "build",
        subject: "mine",
        fromCheckout: true,
        location: "src/mine.c:4:12",
      });
      expect(reason).toMatch(
        /^mine does not build: src\/mine\.c:4:12: error: .nothing. undeclared .*; the whole log: \//,
      );
      expect(reason).not.toMatch(/\n|pip install|network/);
      expect(log).toContain("return nothing;");
      expect(readFileSync(failure?.logFile ?? "", "utf8")).toContain("running build_ext");
      expect(progressLines.filter((line) => line.includes("does not build"))).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  it(
    "is said with the line of setup.py, or of a backend of the checkout, that Python refuses",
    async () => {
      const setup = await failureOf({
        "pyproject.toml": `${SETUPTOOLS}${PROJECT}`,
        "setup.py": 'from setuptools import setup\nsetup(\n  name="mine"\n  version="1.0"\n)\n',
      });
      expect(setup.reason).toMatch(/^mine does not build: setup\.py:3: SyntaxError: invalid syntax/);
      const backend = await failureOf({
        "pyproject.toml": `[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n${PROJECT}`,
        "backend.py": "def build_wheel(directory, settings=None, metadata=None)\n    pass\n",
      });
      expect(backend.reason).toMatch(/^mine does not build: backend\.py:1: SyntaxError: /);
    },
    TIMEOUT_MS,
  );

  it(
    "is no matter of the network or of a compiler where a requirement does not exist",
    async () => {
      const { reason, failure } = await failureOf({}, ["six==0.0.99"]);
      expect(failure?.kind).toBe("no-such-version");
      expect(reason).toMatch(
        /^mine cannot be installed: there is no version of six==0\.0\.99; correct the requirements of mine, or check the index/,
      );
    },
    TIMEOUT_MS,
  );
});

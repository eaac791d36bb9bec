/** What installers see: the way to their registries, and no credential. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { childEnvironment, gitEnvironment, installerEnvironment } from "../../src/process/environment.js";
import { findOnPath } from "../../src/provision/tools/find-on-path.js";
import { runTool } from "../../src/provision/tools/run-tool.js";
import { writeFiles } from "../support/repository.js";
import { testRun } from "../support/run.js";

const SECRETS = {
  CARGO_REGISTRY_TOKEN: "hunter2",
  CARGO_REGISTRIES_MINE_TOKEN: "hunter2",
  UV_PUBLISH_TOKEN: "hunter2",
  UV_PUBLISH_PASSWORD: "hunter2",
  UV_INDEX_MINE_PASSWORD: "hunter2",
  UV_INDEX_MINE_USERNAME: "hunter2",
  UV_GITHUB_TOKEN: "hunter2",
  PIP_PASSWORD: "hunter2",
  CARGO_SECRET_KEY: "hunter2",
  UV_AWS_CREDENTIALS: "hunter2",
  PIP_INDEX_URL: "https://me:hunter2@index.example.org/simple",
  UV_INDEX: "https://me:hunter2@a.example.org/simple https://:hunter2@b.example.org/simple",
};

const SETTINGS = {
  UV_KEYRING_PROVIDER: "subprocess",
  UV_LINK_MODE: "copy",
  PIP_CERT: "/etc/ssl/mine.pem",
  CARGO_HOME: "/home/me/.cargo",
  HTTPS_PROXY: "http://me:of-the-proxy@proxy.example.org:3128",
  GOPROXY: "https://proxy.example.org",
};

/** The files through which a step speaks to later ones. */
const COMMAND_FILES = ["GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"];

it.each([childEnvironment, installerEnvironment, gitEnvironment])(
  "do not see the runner's files: %o",
  (environment) => {
    const job = Object.fromEntries(
      [...COMMAND_FILES, "ACTIONS_RUNTIME_URL", "INPUT_TOKEN"].map((name) => [name, "/x"]),
    );
    const names = Object.keys(environment(job, "run"));
    expect(names.filter((name) => /^(GITHUB|ACTIONS|INPUT)_/.test(name))).toEqual([]);
  },
);

it("get settings, and addresses without passwords, and no variable that names a credential", () => {
  const env = installerEnvironment({ ...SECRETS, ...SETTINGS }, "run");
  expect(env).toEqual({
    ...SETTINGS,
    PIP_INDEX_URL: "https://index.example.org/simple",
    UV_INDEX: "https://a.example.org/simple https://b.example.org/simple",
    SERVER_BENCH_RUN: "run",
  });
});

it("get no settings that are for a project of the user's", () => {
  const own = {
    ...{ UV_REQUIRE_HASHES: "1", UV_EXCLUDE_NEWER: "2019-01-01", UV_CONSTRAINT: "c.txt", UV_RESOLUTION: "lowest" },
    ...{ UV_NO_BUILD: "1", PIP_ONLY_BINARY: ":all:", UV_NO_BINARY_PACKAGE: "six" },
    ...{
      UV_PYTHON: "3.8",
      UV_PROJECT_ENVIRONMENT: "x",
      PIP_REQUIRE_HASHES: "1",
      PIP_TARGET: "/x",
      PIP_CONSTRAINT: "c",
    },
  };
  expect(installerEnvironment({ ...own, ...SETTINGS }, "run")).toEqual({ ...SETTINGS, SERVER_BENCH_RUN: "run" });
  // The tool's own stay.
  expect(installerEnvironment(own, "run", { PIP_USER: "0" })).toEqual({ PIP_USER: "0", SERVER_BENCH_RUN: "run" });
});

it("hand none to the build code of a checkout", { timeout: 60_000 }, async () => {
  await using run = testRun();
  const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  try {
    writeFiles(folder, {
      "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
      "backend.py": `import os\n\n\ndef build_wheel(*args, **kwargs):\n    open(${JSON.stringify(join(folder, "seen"))}, "w").write(str(dict(os.environ)))\n    raise SystemExit(1)\n\n\nprepare_metadata_for_build_wheel = build_wheel\n`,
    });
    const progress = { started() {}, update() {}, finished() {}, failed() {}, note() {} };
    const { PIP_INDEX_URL: _index, UV_INDEX: _more, ...named } = SECRETS;
    const env = { ...process.env, ...named, GITHUB_TOKEN: "hunter2", PIP_INDEX_URL: "https://me:hunter2@127.0.0.1:9/" };
    const context = { run, env, progress, cache: folder };
    const uv = await findOnPath("uv", process.env);
    const python = await findOnPath("python3", process.env);
    const build: [string, ...string[]] = uv
      ? [uv, "build", "--wheel", "--offline", "--python", python ?? "python3", "--out-dir", join(folder, "out"), folder]
      : [python ?? "python3", "-m", "pip", "wheel", "--no-deps", "--wheel-dir", join(folder, "out"), folder];
    const built = runTool(context, { step: "building", command: build, remedy: () => "" });
    await expect(built).rejects.toThrow("ended with exit code");
    const seen = readFileSync(join(folder, "seen"), "utf8");
    expect(seen).not.toContain("hunter2");
    expect(seen).toContain("SERVER_BENCH_RUN");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

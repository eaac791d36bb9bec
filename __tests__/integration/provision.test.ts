/** The real way: pip, uv, the package index and a real environment, in a cache of its own. */
import { execFile } from "node:child_process";
import { appendFile, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { environmentKey } from "../../src/provision/environments/key.js";
import { provision } from "../../src/provision/provision.js";
import { environmentSpec, provisioning, rowNeeding } from "../support/provisioning.js";

const TINY = environmentSpec({ server: "tiny", requires: ["six"], distribution: "six" });
const NOWHERE = environmentSpec({ server: "nowhere", requires: ["six==0.0.99"], distribution: "six" });

describe("provisioning for real", () => {
  it("installs a small environment, reuses it, and says why another one failed", { timeout: 240_000 }, async () => {
    const { bin, context, progressLines, program } = await provisioning();
    // The load generator is not what is tried here.
    await program("oha", "echo oha 1.16.0");
    const env = { ...process.env, SERVER_BENCH_CACHE: context.cache, PATH: `${bin}:${process.env.PATH ?? ""}` };
    const options = { ...context, env };

    const { environments, generators } = await provision([TINY, NOWHERE].map(rowNeeding), options);
    const tiny = environments.get(environmentKey(TINY));
    if (tiny?.state !== "ready") throw new Error(`not ready: ${JSON.stringify(tiny)}`);
    expect(tiny.packages).toEqual([`six==${tiny.version}`]);
    const python = join(tiny.binDir, "python");
    const { stdout } = await promisify(execFile)(python, ["-c", "import six; print(six.__version__)"]);
    expect(stdout.trim()).toBe(tiny.version);
    expect(environments.get(environmentKey(NOWHERE))).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(
        /^nowhere cannot be installed: there is no version of six==0\.0\.99; correct the requirements of nowhere/,
      ),
      log: expect.stringContaining("six==0.0.99"),
    });
    expect(generators.get("oha")).toMatchObject({ state: "ready", tool: { version: "1.16.0" } });

    progressLines.length = 0;
    const again = await provision([rowNeeding(TINY)], options);
    expect(again.environments.get(environmentKey(TINY))).toEqual(tiny);
    expect(progressLines.some((line) => line.startsWith("started"))).toBe(false);

    const module = join(tiny.binDir, "..", "lib", `python${tiny.pythonVersion.replace(/\.\d+$/, "")}`, "site-packages");
    // Not shared with uv's cache or with another environment.
    expect((await stat(join(module, "six.py"))).nlink).toBe(1);
    await appendFile(join(module, "six.py"), "raise SystemExit('tampered')\n");
    const rebuilt = (await provision([rowNeeding(TINY)], options)).environments.get(environmentKey(TINY));
    if (rebuilt?.state !== "ready") throw new Error(`not ready: ${JSON.stringify(rebuilt)}`);
    expect(rebuilt.binDir).not.toBe(tiny.binDir);
    await promisify(execFile)(join(rebuilt.binDir, "python"), ["-c", "import six"]);
  });

  it("takes no settings of uv from above the run's folder, where other users may write", {
    timeout: 240_000,
  }, async () => {
    const { bin, context, root, program } = await provisioning();
    await program("oha", "echo oha 1.16.0");
    await writeFile(join(root, "uv.toml"), '[[index]]\nurl = "http://127.0.0.1:9/simple"\ndefault = true\n');
    const env = { ...process.env, SERVER_BENCH_CACHE: context.cache, PATH: `${bin}:${process.env.PATH ?? ""}` };
    const { environments } = await provision([rowNeeding(TINY)], { ...context, env });
    expect(environments.get(environmentKey(TINY))).toMatchObject({ state: "ready" });
  });

  it("builds a checkout, and builds it anew when a file of it changes", { timeout: 240_000 }, async () => {
    const { bin, context, root, progressLines, program } = await provisioning();
    await program("oha", "echo oha 1.16.0");
    const checkout = join(root, "checkout");
    await mkdir(checkout);
    const write = (name: string, text: string) => writeFile(join(checkout, name), text);
    await write(
      "pyproject.toml",
      '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "mine"\nversion = "1.0"\n[tool.setuptools]\npy-modules = ["mine"]\n',
    );
    await write("mine.py", "WORD = 'first'\n");
    const spec = environmentSpec({
      server: "mine",
      requires: [`mine @ file://${encodeURI(checkout)}`],
      distribution: "mine",
    });
    const env = { ...process.env, SERVER_BENCH_CACHE: context.cache, PATH: `${bin}:${process.env.PATH ?? ""}` };
    const word = async () => {
      const { environments } = await provision([rowNeeding(spec)], { ...context, env });
      const state = environments.get(environmentKey(spec));
      if (state?.state !== "ready") throw new Error(JSON.stringify(state));
      const { stdout } = await promisify(execFile)(join(state.binDir, "python"), [
        "-c",
        "import mine; print(mine.WORD)",
      ]);
      return stdout.trim();
    };
    expect(await word()).toBe("first");
    progressLines.length = 0;
    expect(await word()).toBe("first");
    expect(progressLines.join("\n")).not.toContain("started mine");
    await write("mine.py", "WORD = 'second'\n");
    expect(await word()).toBe("second");
  });
});

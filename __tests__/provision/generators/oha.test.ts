import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SetupError } from "../../../src/errors.js";
import type { DownloadLimits } from "../../../src/provision/cache/download.js";
import { provideOha } from "../../../src/provision/generators/oha.js";
import { OHA_RELEASE, type OhaRelease } from "../../../src/provision/generators/oha-release.js";
import { type Provisioning, provisioning } from "../../support/provisioning.js";
import {
  breaksOff,
  bytes,
  refusingUrl,
  releaseAt,
  releasesServer,
  sha256Of,
  stalls,
  status,
} from "../../support/releases.js";

const PROGRAM = Buffer.from('#!/bin/sh\necho "oha 1.16.0"\n');

async function withRelease(
  answers: Parameters<typeof releasesServer>,
  { program = PROGRAM, env = {}, limits = {} }: { program?: Buffer; env?: NodeJS.ProcessEnv; limits?: Limits } = {},
) {
  const server = await releasesServer(...answers);
  const setup = await provisioning(env);
  return { server, setup, release: releaseAt(server.url, program, limits) };
}
type Limits = Partial<DownloadLimits>;

/** Everything of oha in the cache but the build folder of cargo. */
async function cachedFiles({ context }: Provisioning): Promise<string[]> {
  return readdir(join(context.cache, "oha"), { recursive: true }).catch(() => []);
}

async function refusal({ setup, release }: { setup: Provisioning; release: OhaRelease }): Promise<string> {
  const error = await provideOha(setup.context, release).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SetupError);
  expect(await cachedFiles(setup)).toEqual([]);
  return String(error);
}

/** A program of ours in the cache, with a manifest that fits it. */
async function plant(
  { context }: Provisioning,
  script: string,
  origin = "cargo install oha --version 1.16.0 --locked",
): Promise<string> {
  const folder = join(context.cache, "oha", `1.16.0-${process.platform}-${process.arch}`);
  await mkdir(folder, { recursive: true });
  const path = join(folder, "oha");
  await writeFile(path, script, { mode: 0o755 });
  const manifest = {
    name: "oha",
    version: "1.16.0",
    sha256: sha256Of(Buffer.from(script)),
    origin,
  };
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  return path;
}

describe("oha on PATH", () => {
  it("is used when it is new enough, and nothing is asked or installed", async () => {
    const { server, setup, release } = await withRelease([bytes(PROGRAM)]);
    const path = await setup.program("oha", 'echo "oha 1.17.2"');
    expect(await provideOha(setup.context, release)).toEqual({ path, version: "1.17.2" });
    expect(server.requests).toEqual([]);
    expect(setup.progressLines).toEqual([`reused oha 1.17.2: ${path}`]);
  });

  it("is passed over when it is too old or does not run", async () => {
    for (const script of ['echo "oha 1.9.0"', "exit 1", "echo hello"]) {
      const { setup, release } = await withRelease([bytes(PROGRAM)]);
      await setup.program("oha", script);
      expect((await provideOha(setup.context, release)).path).toContain(setup.context.cache);
    }
  });
});

describe("oha from the release", () => {
  it("is asked for with one request, at the release's own address, with digests that stand in the source", () => {
    expect(OHA_RELEASE.address).toBe("https://github.com/hatoo/oha/releases/download/v1.16.0");
    expect(Object.keys(OHA_RELEASE.assets)).toEqual(["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]);
    const digests = Object.values(OHA_RELEASE.assets).map(({ sha256 }) => sha256);
    expect(new Set(digests.filter((digest) => /^[0-9a-f]{64}$/.test(digest))).size).toBe(4);
  });

  it("is installed when its digest is right, and reused from the cache", async () => {
    const { server, setup, release } = await withRelease([bytes(PROGRAM)]);
    const first = await provideOha(setup.context, release);
    expect(first.version).toBe("1.16.0");
    const manifest: unknown = JSON.parse(await readFile(join(dirname(first.path), "manifest.json"), "utf8"));
    expect(manifest).toMatchObject({ version: "1.16.0", sha256: sha256Of(PROGRAM) });
    expect(await provideOha(setup.context, release)).toEqual(first);
    expect(server.requests).toEqual([expect.stringMatching(/^\/oha-(linux|macos)-(amd64|arm64)$/)]);
    expect(setup.progressLines.at(-1)).toBe(`reused oha 1.16.0: ${first.path}`);
  });

  it("is refused and removed when a byte differs, and is not asked for again", async () => {
    const flipped = Buffer.from(PROGRAM);
    flipped[20] = (flipped[20] ?? 0) ^ 1;
    const setting = await withRelease([bytes(flipped)]);
    expect(await refusal(setting)).toMatch(
      /GitHub release: .*refused and removed: its SHA-256 is [0-9a-f]{64}, expected/,
    );
    expect(setting.server.requests).toHaveLength(1);
  });

  it("is not taken when it is larger than it may be", async () => {
    const large = Buffer.alloc(2 * 1024 * 1024, 1);
    const setting = await withRelease([bytes(large)], { program: large, limits: { maxBytes: 1024 * 1024 } });
    expect(await refusal(setting)).toContain("is larger than 1.0 MiB");
  });

  it("is tried again after a passing failure", async () => {
    const { server, setup, release } = await withRelease([status(503), breaksOff, bytes(PROGRAM)]);
    expect((await provideOha(setup.context, release)).version).toBe("1.16.0");
    expect(server.requests).toHaveLength(3);
  });

  it("names the status of an answer that is none", async () => {
    const missing = await withRelease([status(404)]);
    expect(await refusal(missing)).toMatch(/GitHub release: http\S+ was answered with HTTP 404\n/);
    expect(missing.server.requests).toHaveLength(1);
    const broken = await withRelease([status(500)]);
    expect(await refusal(broken)).toMatch(/was answered with HTTP 500\n/);
    expect(broken.server.requests).toHaveLength(3);
  });

  it("does not wait for a server that falls silent", async () => {
    const setting = await withRelease([stalls], { limits: { silenceMs: 200 } });
    expect(await refusal(setting)).toMatch(/GitHub release: 127\.0\.0\.1:\d+ was silent for 0\.2 s\n/);
  });

  it("is refused when it does not run, or is another version than it should be", async () => {
    for (const script of ["#!/bin/sh\nexit 3\n", '#!/bin/sh\necho "oha 1.2.3"\n', "no program"]) {
      const program = Buffer.from(script);
      await refusal(await withRelease([bytes(program)], { program }));
    }
  });

  it("is not installed once the run was aborted", async () => {
    const { setup, release } = await withRelease([stalls]);
    const reason = new Error("interrupted");
    setTimeout(() => setup.abort.abort(reason), 100);
    await expect(provideOha(setup.context, release)).rejects.toBe(reason);
    expect(await cachedFiles(setup)).toEqual([]);
  });
});

describe("oha in the cache", () => {
  it("is refused, removed and installed again when it was changed", async () => {
    for (const change of [
      (path: string) => writeFile(path, '#!/bin/sh\necho "oha 1.16.0" # changed\n'),
      (path: string) => writeFile(join(dirname(path), "manifest.json"), "{}"),
      (path: string) => writeFile(join(dirname(path), "manifest.json"), '{"name":'),
    ]) {
      const { setup, release } = await withRelease([bytes(PROGRAM)]);
      const { path } = await provideOha(setup.context, release);
      await change(path);
      await provideOha(setup.context, release);
      expect(await readFile(path)).toEqual(PROGRAM);
      expect(setup.progressLines.join("\n")).toMatch(/note .*was refused and removed: .*; installing it again/);
    }
  });

  it("is replaced on a runner, and never run, when it is not the release's, whatever the manifest beside it says", async () => {
    const { setup, release } = await withRelease([bytes(PROGRAM)], { env: { GITHUB_ACTIONS: "true" } });
    const ran = join(setup.root, "ran");
    const path = await plant(setup, `#!/bin/sh\n: > "${ran}"\necho "oha 1.16.0"\n`);
    expect(await provideOha(setup.context, release)).toEqual({ path, version: "1.16.0" });
    expect(await readFile(path)).toEqual(PROGRAM);
    await expect(readFile(ran)).rejects.toThrow("ENOENT");
  });

  it("is refused anywhere when it claims to be the release's and is not", async () => {
    const { setup, release } = await withRelease([bytes(PROGRAM)]);
    const path = await plant(setup, '#!/bin/sh\necho "oha 1.16.0" # fake\n', `${OHA_RELEASE.address}/oha-linux-amd64`);
    await provideOha(setup.context, release);
    expect(await readFile(path)).toEqual(PROGRAM);
    expect(setup.progressLines.join("\n")).toMatch(
      /note .*oha was refused and removed: its SHA-256 is .* not that of https:/,
    );
  });

  it("is what was built before, where no release can be had", async () => {
    const setup = await provisioning({ GITHUB_ACTIONS: "true" });
    const path = await plant(setup, '#!/bin/sh\necho "oha 1.16.0" # built\n');
    const release = releaseAt(await refusingUrl(), PROGRAM);
    expect(await provideOha(setup.context, release)).toEqual({ path, version: "1.16.0" });
    expect(setup.progressLines).toContainEqual(
      expect.stringMatching(
        /^note oha 1\.16\.0: the release could not be downloaded \(127\.0\.0\.1:\d+ refuses the connection\); using the one that was built on this machine before$/,
      ),
    );
  });

  it("is what the user built before, and nothing is asked", async () => {
    const { server, setup, release } = await withRelease([bytes(PROGRAM)]);
    const path = await plant(setup, '#!/bin/sh\necho "oha 1.16.0" # built\n');
    expect((await provideOha(setup.context, release)).path).toBe(path);
    expect(server.requests).toEqual([]);
  });

  it("is installed where a killed run left halves of it", async () => {
    const { setup, release } = await withRelease([bytes(PROGRAM)]);
    const folder = join(setup.context.cache, "oha", `1.16.0-${process.platform}-${process.arch}`);
    await mkdir(`${folder}.tmp-1-aa`, { recursive: true });
    await writeFile(join(`${folder}.tmp-1-aa`, "oha"), "half");
    await mkdir(folder);
    await provideOha(setup.context, release);
    expect((await cachedFiles(setup)).filter((name) => name.includes(".tmp-"))).toEqual([]);
  });

  it("is installed once by two runs at the same time", async () => {
    const { server, setup, release } = await withRelease([bytes(PROGRAM)]);
    const [one, two] = await Promise.all([provideOha(setup.context, release), provideOha(setup.context, release)]);
    expect(one).toEqual(two);
    expect(server.requests).toHaveLength(1);
  });
});

describe("oha from its crate", () => {
  const CARGO = `
    while [ "$1" != --root ]; do shift; done
    printf '    Building [=====>            ] 12/371: hyper\\r' >&2
    /bin/mkdir -p "$2/bin" "$CARGO_TARGET_DIR"
    printf '#!/bin/sh\\necho oha 1.16.0\\n' > "$2/bin/oha"
    /bin/chmod +x "$2/bin/oha"`;

  it("is built when the release cannot be reached, with progress and a recorded digest", async () => {
    const setup = await provisioning();
    await setup.program("cargo", CARGO);
    // A name that no resolver knows (RFC 6761).
    const release = releaseAt("https://releases.invalid", PROGRAM);
    const { path } = await provideOha(setup.context, release);
    expect(setup.progressLines).toContain(
      "note oha 1.16.0: the release could not be downloaded (no address for releases.invalid); building it with cargo, about 3 min",
    );
    expect(setup.progressLines).toContainEqual(expect.stringMatching(/^update oha 1\.16\.0: 12 of 371 crates, 0 s$/));
    expect((await provideOha(setup.context, release)).path).toBe(path);
    expect((await cachedFiles(setup)).sort()).toEqual(
      [`1.16.0-${process.platform}-${process.arch}`].flatMap((folder) => [
        folder,
        `${folder}/manifest.json`,
        `${folder}/oha`,
      ]),
    );
  });

  it("is the last method: without it, the error lists all of them and the remedies, and promises no build", async () => {
    const setup = await provisioning({ HTTPS_PROXY: "http://proxy.invalid" });
    const message = await refusal({ setup, release: releaseAt(await refusingUrl(), PROGRAM) });
    expect(message).toMatch(
      /\n {2}PATH: there is no oha on PATH\n {2}GitHub release: 127\.0\.0\.1:\d+ refuses the connection; HTTPS_PROXY is set, and Node uses it only with NODE_USE_ENV_PROXY=1\n/,
    );
    expect(message).toMatch(
      /\n {2}cargo: there is no cargo on PATH\nput oha on PATH .*install Rust \(https:\/\/rustup\.rs\)/,
    );
    expect(setup.progressLines.at(-1)).toContain("failed oha 1.16.0: no load generator");
    expect(setup.progressLines.join("\n")).not.toContain("about 3 min");
  });

  it("gives the compiler's last lines when it fails", async () => {
    const setup = await provisioning();
    await setup.program("cargo", "echo 'error: package `oha` requires rustc 1.88 or newer' >&2; exit 101");
    const release = releaseAt(await refusingUrl(), PROGRAM);
    const error = await provideOha(setup.context, release).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "SetupError", log: expect.stringContaining("requires rustc 1.88") });
    expect(String(error)).toMatch(
      /`cargo install oha --version 1\.16\.0 --locked .* ended with exit code 101; .*rustup update/,
    );
  });
});

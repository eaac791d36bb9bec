import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SetupError } from "../../../src/errors.js";
import { provideOha } from "../../../src/provision/generators/oha.js";
import { RELEASE_LIMITS, type ReleaseLimits } from "../../../src/provision/generators/oha-release.js";
import { type Provisioning, provisioning } from "../../support/provisioning.js";
import {
  bytes,
  digestOf,
  json,
  refusingUrl,
  releaseOf,
  releasesServer,
  stalls,
  status,
} from "../../support/releases.js";

const PROGRAM = Buffer.from('#!/bin/sh\necho "oha 1.16.0"\n');
const IMPATIENT: ReleaseLimits = {
  api: { ...RELEASE_LIMITS.api, silenceMs: 200 },
  asset: { ...RELEASE_LIMITS.asset, silenceMs: 200 },
};

async function withRelease(routes: Parameters<typeof releasesServer>[0]) {
  const releases = await releasesServer(routes);
  const setup = await provisioning({ GITHUB_API_URL: releases.url });
  return { releases, setup };
}

/** Everything of oha in the cache but the build folder of cargo. */
async function cachedFiles({ context }: Provisioning): Promise<string[]> {
  return readdir(join(context.cache, "oha"), { recursive: true }).catch(() => []);
}

async function refusal(setup: Provisioning, limits = RELEASE_LIMITS): Promise<string> {
  const error = await provideOha(setup.context, limits).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SetupError);
  expect(await cachedFiles(setup)).toEqual([]);
  return String(error);
}

describe("oha on PATH", () => {
  it("is used when it is new enough, and nothing is asked or installed", async () => {
    const { releases, setup } = await withRelease({ release: releaseOf(PROGRAM), asset: bytes(PROGRAM) });
    const path = await setup.program("oha", 'echo "oha 1.17.2"');
    expect(await provideOha(setup.context)).toEqual({ path, version: "1.17.2" });
    expect(releases.requests).toEqual([]);
    expect(setup.told).toEqual([`reused oha 1.17.2: ${path}`]);
  });

  it("is passed over when it is too old or does not run", async () => {
    for (const script of ['echo "oha 1.9.0"', "exit 1", "echo hello"]) {
      const { setup } = await withRelease({ release: releaseOf(PROGRAM), asset: bytes(PROGRAM) });
      await setup.program("oha", script);
      expect((await provideOha(setup.context)).path).toContain(setup.context.cache);
    }
  });
});

describe("oha from the release", () => {
  it("is installed when its digest is right, and reused from the cache", async () => {
    const { releases, setup } = await withRelease({ release: releaseOf(PROGRAM), asset: bytes(PROGRAM) });
    const first = await provideOha(setup.context);
    expect(first.version).toBe("1.16.0");
    const manifest: unknown = JSON.parse(await readFile(join(dirname(first.path), "manifest.json"), "utf8"));
    expect(manifest).toMatchObject({ version: "1.16.0", sha256: digestOf(PROGRAM).slice("sha256:".length) });
    expect(await provideOha(setup.context)).toEqual(first);
    expect(releases.requests).toHaveLength(2);
    expect(setup.told.at(-1)).toBe(`reused oha 1.16.0: ${first.path}`);
  });

  it("is refused and removed when a byte differs", async () => {
    const flipped = Buffer.from(PROGRAM);
    flipped[20] = (flipped[20] ?? 0) ^ 1;
    const { setup } = await withRelease({ release: releaseOf(PROGRAM), asset: bytes(flipped) });
    expect(await refusal(setup)).toMatch(
      /GitHub release: .*refused and removed: its SHA-256 is [0-9a-f]{64}, expected/,
    );
  });

  it("is not downloaded without a digest", async () => {
    for (const digest of [null, "sha512:00", "sha256:abc"]) {
      const { releases, setup } = await withRelease({ release: releaseOf(PROGRAM, { digest }), asset: bytes(PROGRAM) });
      expect(await refusal(setup)).toMatch(/has no SHA-256 digest, so it was refused/);
      expect(releases.requests).not.toContain("/download/oha");
    }
  });

  it("is not downloaded from elsewhere without TLS", async () => {
    const address = "http://127.0.0.2:1/oha";
    const { setup } = await withRelease({ release: releaseOf(PROGRAM, { address }), asset: bytes(PROGRAM) });
    expect(await refusal(setup)).toContain("a download without TLS was refused");
  });

  it("is not taken when it is larger than it may be, whatever the API said", async () => {
    const limits = { ...RELEASE_LIMITS, asset: { ...RELEASE_LIMITS.asset, maxBytes: 1024 * 1024 } };
    const large = Buffer.alloc(2 * 1024 * 1024, 1);
    const honest = await withRelease({ release: releaseOf(large), asset: bytes(large) });
    expect(await refusal(honest.setup, limits)).toContain("has 2.0 MiB, more than the 1.0 MiB allowed");
    expect(honest.releases.requests).not.toContain("/download/oha");
    const lying = await withRelease({ release: releaseOf(large, { size: 1000 }), asset: bytes(large) });
    expect(await refusal(lying.setup, limits)).toContain("larger than 1.0 MiB");
  });

  it("names the status of an answer that is none", async () => {
    const missing = await withRelease({ release: () => status(404), asset: bytes(PROGRAM) });
    expect(await refusal(missing.setup)).toMatch(/releases\/tags\/v1\.16\.0: HTTP 404/);
    const broken = await withRelease({ release: releaseOf(PROGRAM), asset: status(500) });
    expect(await refusal(broken.setup)).toMatch(/download\/oha: HTTP 500/);
  });

  it("does not wait for a server that falls silent", async () => {
    const api = await withRelease({ release: () => stalls, asset: bytes(PROGRAM) });
    expect(await refusal(api.setup, IMPATIENT)).toContain("silent for 0.2 s");
    const asset = await withRelease({ release: releaseOf(PROGRAM), asset: stalls });
    expect(await refusal(asset.setup, IMPATIENT)).toContain("silent for 0.2 s");
  });

  it("says where an unexpected answer is wrong", async () => {
    const shape = await withRelease({ release: () => json({ assets: [{ name: 1 }] }), asset: bytes(PROGRAM) });
    expect(await refusal(shape.setup)).toMatch(/unexpected answer at assets\.0\.name/);
    const none = await withRelease({ release: () => json({ assets: [] }), asset: bytes(PROGRAM) });
    expect(await refusal(none.setup)).toContain("the release has no asset oha-");
    const text = await withRelease({ release: () => bytes(Buffer.from("<html>")), asset: bytes(PROGRAM) });
    expect(await refusal(text.setup)).toContain("did not answer with JSON");
  });

  it("is refused when it does not run, or is another version than it should be", async () => {
    for (const script of ["#!/bin/sh\nexit 3\n", '#!/bin/sh\necho "oha 1.2.3"\n', "no program"]) {
      const program = Buffer.from(script);
      const { setup } = await withRelease({ release: releaseOf(program), asset: bytes(program) });
      await refusal(setup);
    }
  });

  it("is not installed once the run was aborted", async () => {
    const { setup } = await withRelease({ release: () => stalls, asset: bytes(PROGRAM) });
    const reason = new Error("interrupted");
    setTimeout(() => setup.abort.abort(reason), 100);
    await expect(provideOha(setup.context)).rejects.toBe(reason);
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
      const { setup } = await withRelease({ release: releaseOf(PROGRAM), asset: bytes(PROGRAM) });
      const { path } = await provideOha(setup.context);
      await change(path);
      await provideOha(setup.context);
      expect(await readFile(path)).toEqual(PROGRAM);
      expect(setup.told.join("\n")).toMatch(/note .*was refused and removed: .*; installing it again/);
    }
  });

  it("is installed where a killed run left halves of it", async () => {
    const { setup } = await withRelease({ release: releaseOf(PROGRAM), asset: bytes(PROGRAM) });
    const folder = join(setup.context.cache, "oha", `1.16.0-${process.platform}-${process.arch}`);
    await mkdir(`${folder}.tmp-1-aa`, { recursive: true });
    await writeFile(join(`${folder}.tmp-1-aa`, "oha"), "half");
    await mkdir(folder);
    await provideOha(setup.context);
    expect((await cachedFiles(setup)).filter((name) => name.includes(".tmp-"))).toEqual([]);
  });

  it("is installed once by two runs at the same time", async () => {
    const { releases, setup } = await withRelease({ release: releaseOf(PROGRAM), asset: bytes(PROGRAM) });
    const [one, two] = await Promise.all([provideOha(setup.context), provideOha(setup.context)]);
    expect(one).toEqual(two);
    expect(releases.requests).toHaveLength(2);
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
    const setup = await provisioning({ GITHUB_API_URL: await refusingUrl() });
    await setup.program("cargo", CARGO);
    const { path } = await provideOha(setup.context);
    expect(setup.told).toContainEqual(expect.stringMatching(/^update oha 1\.16\.0: 12 of 371 crates, 0 s$/));
    expect((await provideOha(setup.context)).path).toBe(path);
    expect((await cachedFiles(setup)).sort()).toEqual(
      [`1.16.0-${process.platform}-${process.arch}`].flatMap((folder) => [
        folder,
        `${folder}/manifest.json`,
        `${folder}/oha`,
      ]),
    );
  });

  it("is the last way: without it, the error lists all of them and the ways out", async () => {
    const setup = await provisioning({ GITHUB_API_URL: await refusingUrl() });
    const message = await refusal(setup);
    expect(message).toMatch(/\n {2}PATH: there is no oha on PATH\n {2}GitHub release: .*ECONNREFUSED/);
    expect(message).toMatch(
      /\n {2}cargo: there is no cargo on PATH\nput oha on PATH .*install Rust \(https:\/\/rustup\.rs\)/,
    );
    expect(setup.told.at(-1)).toContain("failed oha 1.16.0: no load generator");
  });

  it("gives the compiler's last lines when it fails", async () => {
    const setup = await provisioning({ GITHUB_API_URL: await refusingUrl() });
    await setup.program("cargo", "echo 'error: package `oha` requires rustc 1.88 or newer' >&2; exit 101");
    const error = await provideOha(setup.context).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "SetupError", log: expect.stringContaining("requires rustc 1.88") });
    expect(String(error)).toMatch(
      /cargo' install oha --version 1\.16\.0 --locked .* ended with exit code 101; .*rustup update/,
    );
  });
});

/** What is downloaded: packages by the lock file, programs by digests in the source. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OHA_RELEASE } from "../../src/provision/generators/oha-release.js";
import { ROOT } from "../support/workflows.js";

interface Locked {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: true;
  readonly link?: true;
}

const text = (file: string) => readFileSync(join(ROOT, file), "utf8");
const { packages } = JSON.parse(text("package-lock.json")) as { packages: Readonly<Record<string, Locked>> };
const installed = Object.entries(packages).filter(([path]) => path !== "");

describe("the lock file", () => {
  it("has the digest of every package", () => {
    const weak = installed.filter(([, { integrity = "" }]) => !integrity.startsWith("sha512-")).map(([path]) => path);
    expect(weak).toEqual([]);
  });

  it("names no place of a package besides the registry of whoever installs", () => {
    const foreign = installed.filter(([, { link, resolved = "" }]) => link || /^(?:git|file|http:)/.test(resolved));
    expect(foreign.map(([path]) => path)).toEqual([]);
  });

  it("knows which package would run a program: esbuild, which works without", () => {
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([
      "node_modules/esbuild",
    ]);
    expect(text(".npmrc")).toMatch(/^ignore-scripts=true$/m);
  });

  it("fits package.json: a version that is exact there is the locked one", () => {
    const { devDependencies } = JSON.parse(text("package.json")) as { devDependencies: Record<string, string> };
    for (const [name, version] of Object.entries(devDependencies))
      if (/^\d/.test(version)) expect(packages[`node_modules/${name}`]?.version).toBe(version);
  });
});

describe("programs", () => {
  const SHA256 = /\b[0-9a-f]{64}\b/g;

  it("are downloaded with a digest each", () => {
    const digests = Object.values(OHA_RELEASE.assets).map(({ sha256 }) => sha256);
    expect(digests.length).toBeGreaterThanOrEqual(2);
    for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(digests).size).toBe(digests.length);
    expect(text("src/provision/tools/uv.ts").match(SHA256)?.length).toBeGreaterThanOrEqual(2);
    expect(text("src/provision/tools/py-spy.ts").match(SHA256)?.length).toBeGreaterThanOrEqual(2);
    for (const file of ["src/provision/tools/uv.ts", "src/provision/tools/py-spy.ts"])
      expect(text(file)).toContain("--require-hashes");
  });

  it("are downloaded by one function, which asks for a digest", () => {
    const sources = readdirSync(join(ROOT, "src/provision"), { recursive: true, encoding: "utf8" });
    const fetching = sources.filter(
      (file) => file.endsWith(".ts") && /\bfetch\(|https?\.(?:get|request)\(/.test(text(join("src/provision", file))),
    );
    expect(fetching).toEqual(["cache/download.ts"]);
  });

  it("that are built have a version, and the checks of their own tools stay on", () => {
    expect(text("src/provision/generators/oha-cargo.ts")).toContain("--locked");
    const ghz = text("src/provision/generators/ghz.ts");
    expect(ghz).not.toMatch(/GOFLAGS|GONOSUMDB|GONOSUMCHECK|GOSUMDB|@latest/);
  });
});

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { provideUv } from "../../../src/provision/tools/uv.js";
import { provisioning } from "../../support/provisioning.js";

/** A python3 whose pip makes a uv. */
const PIP = `
while [ "$1" != --target ]; do shift; done
/bin/mkdir -p "$2/bin"
printf '#!/bin/sh\\necho uv 0.13.8\\n' > "$2/bin/uv"
/bin/chmod +x "$2/bin/uv"
/bin/cp "$4" "$HOME.requirements"`;

const UV = "#!/bin/sh\necho uv 0.13.8\n";
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const DIGESTS = [sha256(UV)];

describe("provideUv", () => {
  it("takes the one on PATH", async () => {
    const { context, program } = await provisioning();
    const path = await program("uv", "echo uv 0.12.0");
    expect(await provideUv(context)).toEqual({ path, version: "0.12.0" });
  });

  it("installs it with pip, by digest, and reuses it", async () => {
    const { context, program, progressLines } = await provisioning();
    await program("python3", PIP);
    const tool = await provideUv(context, DIGESTS);
    expect(tool.version).toBe("0.13.8");
    expect(await readFile(`${context.env.HOME}.requirements`, "utf8")).toMatch(
      /^uv==0\.13\.8( --hash=sha256:[0-9a-f]{64})+\n$/,
    );
    await program("python3", "exit 1");
    expect(await provideUv(context, DIGESTS)).toEqual(tool);
    expect(progressLines.filter((line) => line.startsWith("started"))).toEqual(["started uv 0.13.8"]);
  });

  it("refuses a program in the cache that is none of uv's, whatever the manifest beside it says", async () => {
    const { context, program, progressLines } = await provisioning();
    await program("python3", PIP);
    const { path } = await provideUv(context, DIGESTS);
    const fake = "#!/bin/sh\necho uv 0.13.8 # fake\n";
    const manifest = join(dirname(path), "manifest.json");
    const recorded = JSON.parse(await readFile(manifest, "utf8"));
    await writeFile(path, fake);
    await writeFile(manifest, JSON.stringify({ ...recorded, sha256: sha256(fake) }));
    await provideUv(context, DIGESTS);
    expect(await readFile(path, "utf8")).toBe(UV);
    expect(progressLines).toContainEqual(
      expect.stringMatching(/^note .*uv was refused and removed: it is not the program of uv/),
    );
  });

  it("passes over one that is too old, with a note", async () => {
    const { context, program, progressLines } = await provisioning();
    await program("uv", "echo uv 0.1.2");
    await program("python3", PIP);
    expect((await provideUv(context)).path).toContain(context.cache);
    expect(progressLines[0]).toMatch(
      /^note .* is uv 0\.1\.2, older than 0\.11\.12; using 0\.13\.8 from the cache instead$/,
    );
  });

  it("says what to install where python3 or pip is missing, and that uv would do", async () => {
    const { context, program } = await provisioning();
    await expect(provideUv(context)).rejects.toThrow(
      /neither uv nor python3 is on PATH: apt-get install python3 python3-pip, or put uv on PATH/,
    );
    await program("python3", 'echo "/usr/bin/python3: No module named pip" >&2; exit 1');
    await expect(provideUv(context)).rejects.toThrow(
      /^installing uv 0\.13\.8: .* ended with exit code 1; pip is missing: apt-get install python3-pip, or put uv on PATH/,
    );
  });

  it("names network and index when the index cannot be reached", async () => {
    const { context, program, progressLines } = await provisioning();
    await program("python3", 'echo "ERROR: No matching distribution found for uv==0.13.8" >&2; exit 1');
    await expect(provideUv(context)).rejects.toThrow(/check the network and the index that pip is configured for/);
    expect(progressLines.at(-1)).toMatch(/^failed uv 0\.13\.8: installing/);
  });
});

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { providePySpy } from "../../../src/provision/tools/py-spy.js";
import { provisioning } from "../../support/provisioning.js";

const PY_SPY = "#!/bin/sh\necho py-spy 0.4.3\n";
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const DIGESTS = [sha256(PY_SPY)];

/** A uv that installs a py-spy. */
const UV = `
[ "$1" = --version ] && echo uv 0.12.0 && exit
echo "$@" > "$HOME.arguments"
while [ "$1" != --target ]; do shift; done
/bin/mkdir -p "$2/bin"
printf '#!/bin/sh\\necho py-spy 0.4.3\\n' > "$2/bin/py-spy"
/bin/chmod +x "$2/bin/py-spy"
/bin/cp "$4" "$HOME.requirements"`;
const PYTHON = `echo '{"executable": "/usr/bin/python3", "version": "3.11.7"}'`;

async function machine(uv = UV) {
  const made = await provisioning();
  await made.program("uv", uv);
  await made.program("python3", PYTHON);
  return made;
}

describe("providePySpy", () => {
  it("installs the pinned wheels alone, by digest, and reuses the program", async () => {
    const { context, program, progressLines } = await machine();
    const tool = await providePySpy(context, DIGESTS);
    expect(tool).toEqual({ path: expect.stringContaining(join(context.cache, "py-spy")), version: "0.4.3" });
    expect(await readFile(`${context.env.HOME}.requirements`, "utf8")).toMatch(
      /^py-spy==0\.4\.3( --hash=sha256:[0-9a-f]{64}){2}\n$/,
    );
    expect(await readFile(`${context.env.HOME}.arguments`, "utf8")).toMatch(
      /^pip install --no-deps --only-binary :all: --require-hashes --python \/usr\/bin\/python3 --target /,
    );
    await program("uv", "exit 1");
    expect(await providePySpy(context, DIGESTS)).toEqual(tool);
    expect(progressLines.filter((line) => line.startsWith("started"))).toEqual(["started py-spy 0.4.3"]);
  });

  it("refuses a program in the cache that is none of py-spy's, whatever the manifest beside it says", async () => {
    const { context, progressLines } = await machine();
    const { path } = await providePySpy(context, DIGESTS);
    const fake = "#!/bin/sh\necho py-spy 0.4.3 # fake\n";
    const manifest = join(dirname(path), "manifest.json");
    const recorded = JSON.parse(await readFile(manifest, "utf8"));
    await writeFile(path, fake);
    await writeFile(manifest, JSON.stringify({ ...recorded, sha256: sha256(fake) }));
    await providePySpy(context, DIGESTS);
    expect(await readFile(path, "utf8")).toBe(PY_SPY);
    expect(progressLines).toContainEqual(expect.stringMatching(/^note .*py-spy was refused and removed: /));
  });

  it.each([
    ["error: Failed to fetch: connection refused", /check the network and the index \(PIP_INDEX_URL\)/],
    ["error: Hash mismatch for py-spy==0.4.3", /the index serves another py-spy 0\.4\.3: check the index/],
    ["error: No solution found: no wheels with a matching platform tag", /has no py-spy 0\.4\.3 for this machine/],
  ])("%s: says what to check", async (log, message) => {
    const { context } = await machine(`[ "$1" = --version ] && echo uv 0.12.0 && exit\necho '${log}' >&2\nexit 2`);
    await expect(providePySpy(context)).rejects.toThrow(message);
  });
});

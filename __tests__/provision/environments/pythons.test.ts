/** Every Python of a machine: scripts that answer as Pythons and as uv do, in the places where they are found. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findPythons } from "../../../src/provision/environments/pythons.js";
import { type Provisioning, provisioning } from "../../support/provisioning.js";

interface Answer {
  readonly executable: string;
  readonly version: string;
  readonly implementation?: string;
}

async function python(path: string, version: string, more: Partial<Answer> = {}): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho '${JSON.stringify({ executable: path, version, ...more })}'\n`);
  await chmod(path, 0o755);
  return path;
}

async function machine(env: (root: string) => NodeJS.ProcessEnv = () => ({})) {
  const setup = await provisioning();
  const { root } = setup;
  const listed: { key: string; version: string; path: string | null }[] = [];
  const uv = async () => {
    const answer = JSON.stringify(listed);
    await setup.program(
      "uv",
      `case "$1 $2" in
"--version ") echo uv 0.13.8 ;;
"python list") echo 'warning: a shim' >&2; echo '${answer}' ;;
"python find") echo "error: No interpreter found for $6" >&2; exit 2 ;;
esac`,
    );
  };
  await uv();
  const find = async (asked: readonly string[] = []) => {
    await uv();
    const choices = await findPythons({ ...setup.context, env: { ...setup.context.env, ...env(root) } }, asked);
    return Object.fromEntries(choices.map(({ label, request }) => [label, request]));
  };
  return { setup, root, listed, find };
}

function inPyenv({ root }: Pick<Provisioning, "root">, version: string): string {
  return join(root, "home", ".pyenv", "versions", version, "bin", "python3");
}

describe("findPythons", () => {
  it("finds those of PATH, pyenv, the tool cache and uv, each version once", async () => {
    const { setup, root, listed, find } = await machine((folder) => ({ RUNNER_TOOL_CACHE: join(folder, "tools") }));
    const onPath = await python(join(setup.bin, "python3"), "3.11.2");
    const newer = await python(inPyenv(setup, "3.11.7"), "3.11.7");
    await python(inPyenv(setup, "3.9.18"), "3.9.18");
    const tools = join(root, "tools", "Python", "3.14.0");
    const cached = await python(join(tools, process.arch, "bin", "python3"), "3.14.0");
    const free = await python(join(tools, `${process.arch}-freethreaded`, "bin", "python3"), "3.14.0t");
    const pypy = await python(join(root, "pypy", "python"), "3.11.13", { implementation: "pypy" });
    const shim = await python(join(root, "shim"), "3.13.1", { executable: join(root, "behind the shim") });
    listed.push({ key: "pypy-3.11.13", version: "3.11.13", path: pypy });
    listed.push({ key: "cpython-3.13.1", version: "3.13.1", path: shim });
    listed.push({ key: "cpython-3.8.1", version: "3.8.1", path: "/none" }, { key: "x", version: "3.12.0", path: null });
    expect(await find()).toEqual({
      "3.11": newer,
      "3.14": cached,
      "3.14t": free,
      "pypy3.11": pypy,
      "3.13": join(root, "behind the shim"),
    });
    expect(await find([onPath])).toMatchObject({ "3.11": onPath });
  });

  it("keeps what was asked for and is not there, so that its rows are skipped", async () => {
    const { setup, find } = await machine();
    const onPath = await python(join(setup.bin, "python3"), "3.12.1");
    expect(await find(["3.99", "/no/such/python"])).toEqual({
      "3.12": onPath,
      "3.99": "3.99",
      "/no/such/python": "/no/such/python",
    });
  });

  it("goes on without one that does not answer, and says so", async () => {
    const { setup, find } = await machine();
    const onPath = await python(join(setup.bin, "python3"), "3.12.1");
    const broken = await python(inPyenv(setup, "3.13.0"), "3.13.0");
    await writeFile(broken, "#!/bin/sh\nexit 7\n");
    expect(await find()).toEqual({ "3.12": onPath });
    expect(setup.progressLines.join("\n")).toMatch(/note .*3\.13\.0.* is not used: .*exit code 7/);
  });
});

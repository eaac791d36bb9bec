/** The committed program on machines that lack something: it works, or one line says what it lacks and what to do. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatResults } from "../../src/results/layout.js";
import { sampleResults } from "../support/results.js";
import { ROOT } from "../support/workflows.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-test-"));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Where {
  readonly env?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
  readonly node?: readonly string[];
  readonly root?: string;
  readonly cwd?: string;
}

function cli(
  args: readonly string[],
  { env = {}, before = [], node = [], root = ROOT, cwd = folder }: Where = {},
): Promise<Ended> {
  const [program = process.execPath, ...rest] = [
    ...before,
    process.execPath,
    ...node,
    join(root, "dist", "cli.js"),
    ...args,
  ];
  const { PATH = "", HOME = folder } = process.env;
  return new Promise((resolve) => {
    const child = execFile(program, rest, { cwd, env: { PATH, HOME, ...env } }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** One line for the reader: no stack of a defect. */
function expectOneLine({ stderr }: Ended, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr.trim().split("\n")).toHaveLength(1);
}

describe.each([
  ["darwin", "macOS"],
  ["win32", "Windows"],
  ["freebsd", "freebsd"],
])("on %s", (platform, name) => {
  const stub = `Object.defineProperty(process, "platform", { value: "${platform}" });`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(stub)}`];

  it.each(["run", "setup", "doctor", "init", "release"])(
    "%s prints that it needs Linux, and starts nothing",
    async (command) => {
      const ended = await cli([command], { node });
      expect(ended).toMatchObject({ code: 3, stdout: "" });
      expectOneLine(
        ended,
        new RegExp(`^server-bench: ${command} needs Linux, and this is ${name}: .*use a Linux machine`),
      );
    },
  );

  it("what reads files only works", async () => {
    await writeFile(join(folder, "results.json"), formatResults(sampleResults()));
    expect(await cli(["list"], { node })).toMatchObject({ code: 0, stderr: "" });
    expect(await cli(["plan", "--shards", "2"], { node })).toMatchObject({ code: 0, stderr: "" });
    expect(await cli(["report", "results.json", "--out", `report-${platform}`], { node })).toMatchObject({ code: 0 });
  });
});

it("works in folders with blanks and letters of any language", async () => {
  const place = join(folder, "mit Leerzeichen, ünd 日本");
  const root = join(place, "tool (v1)");
  await mkdir(root, { recursive: true });
  for (const name of ["dist", "scenarios", "python-apps", "package.json"])
    await cp(join(ROOT, name), join(root, name), { recursive: true });
  await mkdir(join(place, "eigene Szenarien"));
  const own =
    "title: Ürün\nlabel: Satır\ndefaults: { server: granian, interface: asgi, request: bytes, connections: 64 }\nrows:\n  - { title: Çay }\n";
  await writeFile(join(place, "eigene Szenarien", "mine.yml"), own);
  await writeFile(join(place, "results.json"), formatResults(sampleResults()));
  const where = { root, cwd: place };
  expect(await cli(["list", "--scenarios", "eigene Szenarien"], where)).toMatchObject({ code: 0, stderr: "" });
  const planned = await cli(["plan", "mine", "--scenarios", "eigene Szenarien", "--shards", "1"], where);
  expect(planned).toMatchObject({ code: 0, stderr: "" });
  const out = "Ergebnis von heute";
  expect(await cli(["report", "results.json", "--out", out], where)).toMatchObject({ code: 0, stderr: "" });
});

it("names the temporary folder that it cannot use", async () => {
  const ended = await cli(["setup", "interfaces/asgi-bytes"], { env: { TMPDIR: join(folder, "missing") } });
  expect(ended.code).toBe(3);
  expectOneLine(ended, /cannot make a temporary folder in .*missing: .*; set TMPDIR to a folder that can be written/);
});

/** A shell that does `first` and becomes the tool. */
const inShell = (first: string): Where => ({ before: ["sh", "-c", `${first}; exec "$@"`, "sh"] });

describe("in hostile surroundings", () => {
  const SETUP = ["setup", "interfaces/asgi-bytes"];
  const CACHE = /^server-bench: cannot write the cache .*; set SERVER_BENCH_CACHE to a folder that can be written$/m;

  it("takes a relative TMPDIR for a folder in the current one, and leaves nothing there", async () => {
    const place = await mkdtemp(join(folder, "relative-"));
    await mkdir(join(place, "temp"));
    const ended = await cli(SETUP, { cwd: place, env: { TMPDIR: "temp", HOME: "/dev/null" } });
    expect(ended.code).toBe(3);
    expectOneLine(ended, CACHE);
    expect(await readdir(join(place, "temp"))).toEqual([]);
  });

  it("names a current folder that was removed", async () => {
    const ended = await cli(["list"], { cwd: folder, ...inShell("mkdir gone; cd gone; rmdir ../gone") });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expectOneLine(ended, /^server-bench: the current folder was removed: change to one that exists \(cd\)$/m);
  });

  it("names standard output that cannot be written, and fails where nothing else was asked for", async () => {
    const full = { cwd: folder, ...inShell("exec >/dev/full") };
    const listed = await cli(["list"], full);
    expect(listed.code).toBe(3);
    expectOneLine(listed, /^server-bench: standard output cannot be written \(ENOSPC.*: free space there, or send/);
    expect(await cli(["list", "no-such-set"], full)).toMatchObject({ code: 2 });
    expect(await cli(["list", "no-such-set"], inShell("exec 2>/dev/full"))).toMatchObject({ code: 2, stderr: "" });
  });

  it("names a limit on the size of files, and leaves nothing behind", async () => {
    const temp = await mkdtemp(join(folder, "small-"));
    const ended = await cli(SETUP, { env: { TMPDIR: temp }, ...inShell("ulimit -f 0") });
    expect(ended.code).toBe(3);
    expectOneLine(ended, /^server-bench: a file would be larger than .*: raise the limit \(ulimit -f\) \(EFBIG/);
    expect(await readdir(temp)).toEqual([]);
  });
});

it("knows that one CPU is shared", async () => {
  const ended = await cli(["doctor", "--json"], { before: ["taskset", "-c", "0"] });
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const { checks } = JSON.parse(ended.stdout) as { checks: readonly { id: string; state: string; means: string }[] };
  expect(checks.find(({ id }) => id === "cpus")).toMatchObject({
    state: "lacking",
    means: "Server and load generator share one CPU, so throughput says little about the server.",
  });
});

/** The interpreter itself: on PATH there may be a script that needs other programs. */
function ownPython(): string {
  return execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
}

/** Folder of a PATH that has everything but these programs. */
async function pathWithout(names: readonly string[]): Promise<string> {
  const bin = await mkdtemp(join(folder, "bin-"));
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const name of ["python3", "git", "flock", "taskset", "cat", "sh", "env"].filter((one) => !names.includes(one))) {
    const found =
      name === "python3" ? ownPython() : folders.map((one) => join(one, name)).find((path) => existsSync(path));
    if (found === undefined) throw new Error(`${name} is not on PATH`);
    await symlink(found, join(bin, name));
  }
  return bin;
}

it("names the program that is missing, and no other", async () => {
  const without = await cli(["doctor", "--json"], { env: { PATH: await pathWithout(["taskset"]) } });
  expect(without).toMatchObject({ code: 0, stderr: "" });
  const { checks } = JSON.parse(without.stdout) as { checks: readonly { id: string; state: string }[] };
  const states = Object.fromEntries(checks.map(({ id, state }) => [id, state]));
  expect(states).toMatchObject({ python: "good", "program-git": "good", "program-taskset": "lacking" });
  // The tool installs its own.
  expect(states["program-py-spy"]).toBe("good");
});

const isRoot = process.getuid?.() === 0;

describe("as a user without rights", () => {
  const NOBODY = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];

  it("reads results and writes a report", async () => {
    const home = join(folder, "nobody");
    await mkdir(home);
    await writeFile(join(home, "results.json"), formatResults(sampleResults()));
    await chmod(home, 0o777);
    const where = { before: NOBODY, env: { HOME: home }, cwd: home };
    expect(await cli(["report", "results.json", "--out", "out"], where)).toMatchObject({ code: 0, stderr: "" });
    expect(await cli(["doctor"], where)).toMatchObject({ code: 0, stderr: "" });
  });
});

it("names the cache that it cannot write, and the variable for another one", async () => {
  // Not even root makes a folder below a file.
  const home = join(folder, "home-is-a-file");
  await writeFile(home, "");
  const ended = await cli(["setup", "interfaces/asgi-bytes"], { env: { HOME: home } });
  expect(ended.code).toBe(3);
  expectOneLine(ended, /cannot write the cache .*home-is-a-file\/\.cache.*; set SERVER_BENCH_CACHE to a folder/);
});

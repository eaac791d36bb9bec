/** The file in the cache that remembers how noisy pairs were. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { NoiseFile } from "../../src/commands/run/noise-file.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const row = (key: string) => ({ key, noise: { throughput: { scale: 1.5, df: 6 } } });
const open = (machine = "m1", warn?: (text: string) => void) =>
  NoiseFile.open({ env: { SERVER_BENCH_CACHE: folder }, machine, ...(warn && { warn }) });

it("remembers the rows of a machine, oldest first, and of that machine alone", async () => {
  await (await open()).add([row("a")]);
  await (await open("m2")).add([row("b")]);
  await (await open()).add([row("c")]);
  const { earlier } = await open();
  expect(earlier.map(({ key, noise }) => ({ key, noise }))).toEqual([row("a"), row("c")]);
});

it("keeps what another run wrote meanwhile", async () => {
  const [one, other] = [await open(), await open()];
  await one.add([row("a")]);
  await other.add([row("b")]);
  expect((await open()).earlier.map(({ key }) => key)).toEqual(["a", "b"]);
});

it("forgets the oldest of many rows", async () => {
  for (let run = 0; run < 3; run += 1)
    await (await open()).add(Array.from({ length: 500 }, (_, i) => row(`${run}/${i}`)));
  const { earlier } = await open();
  expect(earlier).toHaveLength(200);
  expect(earlier.at(-1)?.key).toBe("2/499");
  expect(JSON.parse(await readFile(join(folder, "noise.json"), "utf8")).rows).toHaveLength(1000);
});

it.each([
  ["a half", '{"method":"together-1","rows":[{"at"'],
  [
    "figures that are none",
    '{"method":"together-1","rows":[{"at":"2026-01-01T00:00:00Z","machine":"m1","key":"a","noise":{"throughput":{"scale":"x","df":3}}}]}',
  ],
  ["pairs that were measured in another way", '{"method":"slices","rows":[]}'],
])("counts as empty where it holds %s, and is whole again after the run", async (_, text) => {
  await writeFile(join(folder, "noise.json"), text);
  const file = await open();
  expect(file.earlier).toEqual([]);
  await file.add([row("a")]);
  expect((await open()).earlier).toHaveLength(1);
});

it.each([
  ["a pipe", (path: string) => void execFileSync("mkfifo", [path])],
  ["a file of 8 MiB", (path: string) => writeFileSync(path, `{"method":"together-1","rows":[${" ".repeat(2 ** 23)}]}`)],
])("counts as empty where it is %s, and is replaced", async (_, plant) => {
  plant(join(folder, "noise.json"));
  const file = await open();
  expect(file.earlier).toEqual([]);
  await file.add([row("a")]);
  expect((await open()).earlier).toHaveLength(1);
});

it("leaves out a row that is damaged, and keeps the others", async () => {
  const file = await open();
  await file.add([row("a"), { key: "x".repeat(501), noise: {} }, row("b")]);
  expect((await open()).earlier.map(({ key }) => key)).toEqual(["a", "b"]);
});

it("warns where it cannot be written, and lets the run end well", async () => {
  const warnings: string[] = [];
  const path = join(folder, "file");
  await writeFile(path, "");
  await chmod(path, 0o444);
  const file = await NoiseFile.open({
    env: { SERVER_BENCH_CACHE: path },
    machine: "m1",
    warn: (text) => warnings.push(text),
  });
  await file.add([row("a")]);
  expect(warnings).toEqual([expect.stringMatching(/^The noise of this run was not kept for later runs: /)]);
});

/** dist/ on another machine: the same bytes, and the licence of every package in it. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

const run = promisify(execFile);
const SOURCES = [
  "src",
  "scripts",
  "evaluation",
  "scenarios",
  "docs",
  "examples",
  "README.md",
  "action.yml",
  "package.json",
  "tsconfig.json",
];

let folder: string;
const built: ReadonlyMap<string, string>[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-test-"));
  // The second folder has another depth, and a name that a careless build would take apart.
  for (const name of ["one", "another folder/twö"]) built.push(await buildIn(join(folder, name)));
});
afterAll(() => rm(folder, { recursive: true }));

/** Builds from a copy of the sources, with the same installed packages and another clock, user and locale. */
async function buildIn(copy: string): Promise<ReadonlyMap<string, string>> {
  await mkdir(copy, { recursive: true });
  for (const name of SOURCES) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  const modules = join(copy, "node_modules");
  // No link: esbuild would see the packages where the link leads, and write other paths. A copy takes long, hard links do not.
  const packages = await installedPackages();
  await mkdir(modules);
  await run("cp", ["-al", ...packages, modules]).catch(async () => {
    await rm(modules, { recursive: true, force: true });
    await mkdir(modules);
    await run("cp", ["-a", ...packages, modules]);
  });
  const env = { PATH: process.env.PATH, HOME: copy, LANG: "tr_TR.UTF-8", TZ: "Pacific/Apia", SOURCE_DATE_EPOCH: "1" };
  await run(process.execPath, ["scripts/build.mjs"], { cwd: copy, env });
  const dist = join(copy, "dist");
  const names = (await readdir(dist)).sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(dist, name), "latin1")] as const)),
  );
}

/** Folders of packages. Hidden ones are none: other tests make and remove some of these meanwhile. */
async function installedPackages(): Promise<string[]> {
  const names = await readdir(join(ROOT, "node_modules"));
  return names.filter((name) => !name.startsWith(".")).map((name) => join(ROOT, "node_modules", name));
}

const bill = v.object({
  bomFormat: v.literal("CycloneDX"),
  metadata: v.object({ component: v.object({ name: v.string() }) }),
  components: v.array(
    v.object({ name: v.string(), version: v.string(), purl: v.string(), licenses: v.array(v.unknown()) }),
  ),
});

function fileOf(name: string): string {
  return built[0]?.get(name) ?? "";
}

describe("a build", () => {
  it("gives the same bytes in every folder", () => {
    const [one, two] = built;
    expect([...(two?.keys() ?? [])]).toEqual([...(one?.keys() ?? [])]);
    expect([...(one ?? [])].filter(([name, text]) => two?.get(name) !== text).map(([name]) => name)).toEqual([]);
  });

  it("contains no path of the machine", () => {
    expect([...(built[0] ?? [])].filter(([, text]) => text.includes(folder)).map(([name]) => name)).toEqual([]);
  });
});

describe("the licences", () => {
  it("are there for every package, in the notice and in the bill of materials", () => {
    const { components, metadata } = v.parse(bill, JSON.parse(fileOf("sbom.cdx.json")));
    expect(metadata.component.name).toBe("server-bench");
    const names = components.map(({ name }) => name);
    // Some that the sources import, and one that only another package needs.
    expect(names).toEqual(
      expect.arrayContaining(["valibot", "yaml", "@actions/artifact", "@octokit/rest", "before-after-hook"]),
    );
    expect(names.filter((name) => ["vitest", "typescript", "esbuild", "fast-check"].includes(name))).toEqual([]);
    for (const { name, version } of components) expect(fileOf("licenses.txt")).toContain(`  ${name} ${version} (`);
  });

  it("are permissive: none asks for the sources of what uses it", () => {
    const licences = [...fileOf("licenses.txt").matchAll(/^ {2}\S+ \S+ \((.*)\)$/gm)].map(([, licence]) => licence);
    const known = [
      "MIT",
      "ISC",
      "Apache-2.0",
      "BSD-2-Clause",
      "BSD-3-Clause",
      "0BSD",
      "BlueOak-1.0.0",
      "(Apache-2.0 AND BSD-3-Clause)",
      "MIT/X11",
      "Python-2.0",
      "Unlicense",
    ];
    expect(licences.length).toBeGreaterThan(20);
    expect(licences.filter((licence) => !known.includes(licence ?? ""))).toEqual([]);
  });

  it("hold a text for each package", () => {
    expect(fileOf("licenses.txt")).toContain("Permission is hereby granted, free of charge");
    expect(fileOf("licenses.txt")).toContain("Apache License");
  });
});

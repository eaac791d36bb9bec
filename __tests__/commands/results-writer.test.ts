/** What is refused stops nothing that is written later. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ResultsWriter } from "../../src/commands/results-writer.js";
import { readResults } from "../../src/results/read.js";
import { tempFolder } from "../support/cli.js";
import { completed, resultsOf } from "../support/results.js";

it("goes on after results that it had to refuse", async () => {
  const writer = new ResultsWriter(tempFolder(), resultsOf([]));
  await writer.open();
  const [one, two] = ["one", "two"].map((name) => completed(`interfaces/${name}`, name, 64, 1000));
  if (!one || !two) throw new Error("two cases");
  await writer.add([one]);
  await expect(writer.add([one])).rejects.toThrow(/the same case/);
  await writer.add([two]);
  await writer.finish({});
  expect((await readResults(writer.resultsPath)).cases.map(({ id }) => id)).toEqual([
    "interfaces/one",
    "interfaces/two",
  ]);
});

it("keeps the order of the set, whichever row ends first", async () => {
  const ids = ["one", "two", "three"].map((name) => `interfaces/${name}`);
  const writer = new ResultsWriter(tempFolder(), resultsOf([]), undefined, ids);
  await writer.open();
  const [one, two, three] = ids.map((id) => completed(id, id, 64, 1000));
  if (!one || !two || !three) throw new Error("three cases");
  await writer.add([three]);
  await writer.put([two]);
  await writer.put([one]);
  expect((await readResults(writer.resultsPath)).cases.map(({ id }) => id)).toEqual(ids);
});

it("keeps a new folder of the usual name out of git, and no other one", async () => {
  const temp = tempFolder();
  const open = async (name: string) => {
    await new ResultsWriter(join(temp, name), resultsOf([])).open();
    return readdirSync(join(temp, name)).sort();
  };
  expect(await open("server-bench-results")).toEqual([".gitignore", "results.json"]);
  expect(readFileSync(join(temp, "server-bench-results/.gitignore"), "utf8")).toBe("*\n");
  expect(await open("mine")).toEqual(["results.json"]);
  mkdirSync(join(temp, "there/server-bench-results"), { recursive: true });
  expect(await open("there/server-bench-results")).toEqual(["results.json"]);
});

it("keeps what is added at the same time", async () => {
  const writer = new ResultsWriter(tempFolder(), resultsOf([]));
  await writer.open();
  const cases = ["one", "two", "three"].map((name) => completed(`interfaces/${name}`, name, 64, 1000));
  await Promise.all(cases.map((one) => writer.add([one])));
  expect(writer.results.cases).toHaveLength(3);
});

it("has the newest results in its file, however many were added at the same time", async () => {
  // Each write takes a moment of its own: eight at a time end in any order.
  for (let round = 0; round < 20; round += 1) {
    const writer = new ResultsWriter(tempFolder(), resultsOf([]));
    await writer.open();
    const names = Array.from({ length: 8 }, (_, i) => `row-${i}`);
    await Promise.all(names.map((name) => writer.add([completed(`interfaces/${name}`, name, 64, 1000)])));
    expect((await readResults(writer.resultsPath)).cases).toHaveLength(names.length);
  }
});

it("keeps the cases of pairs whose comparison it had to refuse", async () => {
  const writer = new ResultsWriter(tempFolder(), resultsOf([]), () => {
    throw new Error("a defect");
  });
  await writer.open();
  await expect(writer.put([completed("interfaces/one", "one", 64, 1000)])).rejects.toThrow("a defect");
  expect((await readResults(writer.resultsPath)).cases.map(({ id }) => id)).toEqual(["interfaces/one"]);
});

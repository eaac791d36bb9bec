/** Zips of artifacts: the texts that were packed, or a refusal. */
import * as fc from "fast-check";
import { readArchive } from "../../../src/github/archive.js";
import { makeZip, type ZipEntry } from "../../support/zip.js";
import { mutatedBytes } from "../mutate.js";
import { hold, orTypedLater, type Target } from "../target.js";

const WANTED = new Set(["results.json", "plan.json"]);
const RESULTS = JSON.stringify({
  schema: "server-bench/results",
  cases: Array.from({ length: 40 }, (_, i) => ({ i })),
});
const PLAN = '{"schema":"server-bench/plan"}';
const PACKED = new Set([RESULTS, PLAN]);

const ARCHIVES = [
  makeZip([
    { name: "report.md", data: "# report" },
    { name: "results.json", data: RESULTS },
  ]),
  makeZip([
    { name: "plan.json", data: PLAN, method: 0 },
    { name: "charts/", data: "", method: 0, mode: 0o40755 },
    { name: "results.json", data: RESULTS, mode: 0o100644 },
  ]),
];

const name = fc.constantFrom(
  "results.json",
  "plan.json",
  "../results.json",
  "/etc/passwd",
  "a\\b",
  "",
  "x\0y",
  "results.json/",
  "ü",
);
const number = fc.oneof(fc.nat(300), fc.constantFrom(0xffff, 0xffffffff, 0x7fffffff));

/** Archives whose directory contradicts their entries. */
const entry: fc.Arbitrary<ZipEntry> = fc.record(
  {
    name,
    data: fc.constantFrom(RESULTS, PLAN, ""),
    method: fc.constantFrom(0, 8, 9, 99),
    flags: fc.constantFrom(0, 1, 8, 0x2000),
    mode: fc.constantFrom(0, 0o100644, 0o120777, 0o40755, 0o20666),
    declared: fc.record({ bytes: number, packedBytes: number, crc: fc.nat(), offset: number }, { requiredKeys: [] }),
    extra: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  },
  { requiredKeys: ["name", "data"] },
);

const made = fc
  .tuple(fc.array(entry, { maxLength: 4 }), fc.option(fc.nat(400)))
  .map(([entries, entryCount]) => makeZip(entries, entryCount === null ? {} : { entryCount }));

async function check(zip: Buffer): Promise<void> {
  const texts = await orTypedLater(() => readArchive(zip, WANTED));
  for (const [file, text] of texts ?? []) {
    hold(WANTED.has(file), "a file that nobody asked for");
    hold(text === "" || PACKED.has(text), "a text that was never packed");
  }
}

export const archiveTargets: readonly Target[] = [
  { name: "archive-bytes", share: 5, inputs: mutatedBytes(ARCHIVES), check },
  { name: "archive-fields", share: 4, inputs: made, check },
];

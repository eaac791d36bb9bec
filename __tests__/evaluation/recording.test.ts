/** The file of a recording: what is written is read again, and damage is refused with file and field. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seeded } from "../../evaluation/random.js";
import { parseRecording, readRecording, writeRecording } from "../../evaluation/recording/file.js";
import { encode } from "../../evaluation/recording/format.js";
import type { Recording } from "../../evaluation/recording/recording.js";
import { MEASURED_NOISE, noisyPair } from "../support/pairs.js";
import { syntheticRecording } from "./synthetic-recording.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recording-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = {
  ratePerSec: 1234.5,
  due: 1000,
  answered: 999,
  failures: 1,
  windowSec: 0.25,
  latencyMs: { p50: 1.25, p99: 7.5 },
  clientShare: 0.5,
};

function packed(change: (form: ReturnType<typeof encode>) => unknown): Uint8Array {
  const form = structuredClone(encode(syntheticRecording()));
  return gzipSync(JSON.stringify(change(form)));
}

describe("a recording's file", () => {
  it("gives back what was written, to the microsecond", async () => {
    const recording = syntheticRecording();
    const file = join(folder, "a.json.gz");
    await writeRecording(file, recording);
    const read = await readRecording(file);
    expect(encode(read)).toEqual(encode(recording));
    const [pair, written] = [read.rows[0]?.pairs[0], recording.rows[0]?.pairs[0]];
    expect(pair?.slices[0]?.serverCpuSec).toBeCloseTo(written?.slices[0]?.serverCpuSec ?? Number.NaN, 6);
    expect({ ...read, rows: [] }).toEqual({ ...recording, rows: [] });
  });

  it("gives back counted instructions, to the instruction", () => {
    const recording = syntheticRecording({ pairs: 1, bias: 0, rounds: 2 });
    const read = parseRecording(gzipSync(JSON.stringify(encode(recording))), "a.json.gz");
    const [row, written] = [read.rows[0], recording.rows[0]];
    expect(row?.counts?.rounds).toHaveLength(2);
    expect({ ...row?.counts, rounds: [] }).toEqual({ ...written?.counts, rounds: [] });
    expect(row?.counts?.rounds[1]?.head).toEqual(written?.counts?.rounds[1]?.head.map(Math.round));
    expect(
      parseRecording(
        packed((form) => form),
        "b",
      ).rows.some((one) => "counts" in one),
    ).toBe(false);
  });

  it("says of every pair whether its servers had the same addresses, and of none in an earlier form", () => {
    const same = parseRecording(
      packed((form) => ({ ...form, sameAddresses: true })),
      "a",
    );
    expect(encode(same).sameAddresses).toBe(true);
    expect(same.rows.every(({ pairs }) => pairs.every(({ sameAddresses }) => sameAddresses))).toBe(true);
    const earlier = parseRecording(
      packed(({ sameAddresses: _, ...form }) => form),
      "b",
    );
    expect(encode(earlier).sameAddresses).toBe(false);
    expect(earlier.rows.some(({ pairs }) => pairs.some((pair) => "sameAddresses" in pair))).toBe(false);
  });

  it("keeps figures that only some slices have", () => {
    const [row] = syntheticRecording().rows;
    if (!row) throw new Error("the synthetic recording has no row");
    const closed = { side: "head", seconds: 0.3, requests: 10, serverCpuSec: 0.2, othersShare: 0 } as const;
    const slices = [
      closed,
      { ...closed, stealShare: 0.01, idleCpuSec: 0 },
      { ...closed, open },
      { ...closed, open: { ...open, latencyMs: { p50: 1 } } },
      {
        ...closed,
        idleCpuSec: 0.001,
        open: { ratePerSec: 1, due: 0, answered: 0, failures: 0, windowSec: 1, clientShare: 0 },
      },
    ];
    const recording: Recording = { ...syntheticRecording(), rows: [{ ...row, pairs: [{ seconds: 4.5, slices }] }] };
    const read = parseRecording(gzipSync(JSON.stringify(encode(recording))), "a.json.gz");
    expect(read).toEqual(recording);
  });

  it("needs at most 150 KiB per 1,000 pairs", async () => {
    const random = seeded(4);
    const [row] = syntheticRecording().rows;
    if (!row) throw new Error("the synthetic recording has no row");
    const pairs = Array.from({ length: 1000 }, (_, i) => noisyPair(random, MEASURED_NOISE, 0, i));
    const bytes = await writeRecording(join(folder, "b.json.gz"), {
      ...syntheticRecording(),
      rows: [{ ...row, pairs }],
    });
    expect(bytes / 1024).toBeLessThan(150);
  });

  it("refuses a damaged file with its name", async () => {
    const file = join(folder, "damaged.json.gz");
    const bytes = packed((form) => form);
    const flipped = Uint8Array.from(bytes, (byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte));
    for (const damaged of [bytes.slice(0, -20), flipped, gunzipSync(bytes), new Uint8Array()]) {
      await writeFile(file, damaged);
      await expect(readRecording(file)).rejects.toThrow(/damaged\.json\.gz: not a whole gzip file/);
    }
    await expect(readRecording(join(folder, "none.json.gz"))).rejects.toThrow(/none\.json\.gz: ENOENT/);
    expect(() => parseRecording(gzipSync("{"), "x.json.gz")).toThrow("x.json.gz: not valid JSON");
  });

  it.each([
    ["rows[0].pairs[1][1][2]", (form: ReturnType<typeof encode>) => form.rows[0]?.pairs[1]?.[1][2]?.pop()],
    ["rows[0].pairs[0][1][0]", (form: ReturnType<typeof encode>) => form.rows[0]?.pairs[0]?.[1][0]?.splice(0, 1, 2)],
    ["rows[0].pairs[0][1][0]", (form: ReturnType<typeof encode>) => form.rows[0]?.pairs[0]?.[1][0]?.splice(3, 1, -1)],
    [
      "rows[0].pairs[0][1][0][1]",
      (form: ReturnType<typeof encode>) => form.rows[0]?.pairs[0]?.[1][0]?.splice(1, 1, 0.5),
    ],
    [
      "rows[1].neighbour.share",
      (form: ReturnType<typeof encode>) => Object.assign(form.rows[1]?.neighbour ?? {}, { share: 0.7 }),
    ],
    ["version", (form: ReturnType<typeof encode>) => Object.assign(form, { version: 2 })],
    ["more", (form: ReturnType<typeof encode>) => Object.assign(form, { more: 1 })],
  ])("names the field %s", (field, damage) => {
    const bytes = packed((form) => {
      damage(form);
      return form;
    });
    expect(() => parseRecording(bytes, "x.json.gz")).toThrow(`x.json.gz: ${field}: `);
  });
});

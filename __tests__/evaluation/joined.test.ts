import { expect, it } from "vitest";
import { joinedRecording } from "../../evaluation/recording/joined.js";
import { syntheticRecording } from "./synthetic-recording.js";

const one = syntheticRecording();

it("keeps all rows, and the builds of each recording apart", () => {
  const joined = joinedRecording([
    { file: "a.json.gz", recording: one },
    { file: "b.json.gz", recording: { ...one, notes: ["hypercorn: 20 clean builds"] } },
  ]);
  expect(joined.rows).toHaveLength(2 * one.rows.length);
  expect(new Set(joined.rows.map(({ builds }) => builds.base))).toEqual(new Set(["0", "0/2"]));
  expect(joined.notes).toEqual([...one.notes, "hypercorn: 20 clean builds"]);
});

it("refuses recordings of different machines", () => {
  const other = { ...one, environment: { ...one.environment, cpuModel: "Other" } };
  expect(() =>
    joinedRecording([
      { file: "a.json.gz", recording: one },
      { file: "b.json.gz", recording: other },
    ]),
  ).toThrow("b.json.gz: cpuModel is Other, and Test in a.json.gz");
});

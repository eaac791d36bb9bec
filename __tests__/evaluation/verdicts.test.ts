/** The decision on the recorded pairs themselves: a change of it that moves a verdict shows here, row for row. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRecording } from "../../evaluation/recording/file.js";
import type { RecordedRow } from "../../evaluation/recording/recording.js";
import { decide } from "../../evaluation/resample/decide.js";
import { precisionFor } from "../../src/compare/precision.js";
import { ROOT } from "../support/workflows.js";

const FOLDER = join(ROOT, "evaluation/recordings");
const FINE = 0.01;

const percent = (change: number) => `${(change * 100).toFixed(2)} %`;

/** Verdict, pairs, and each metric with its interval. */
function decided({ pairs, counts, plant }: RecordedRow, withCounts: boolean): string {
  const rounds = withCounts ? counts?.rounds : undefined;
  const [row] = decide([{ pairs, rounds }], precisionFor(plant === "cpu:1" ? FINE : undefined));
  if (!row) return "none";
  const metrics = Object.entries(row.metrics).map(([name, metric]) => {
    if (metric === undefined) return name;
    const { verdict, change, interval } = metric;
    return `${name} ${verdict} ${percent(change)} (${interval.map(percent).join(" to ")})`;
  });
  return [`${row.verdict} after ${row.recorded?.length} pairs`, ...metrics].join("; ");
}

it("decides the committed recordings as before", async () => {
  const lines: string[] = [];
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".json.gz"))) {
    const { rows } = await readRecording(join(FOLDER, file));
    lines.push(`# ${file}`);
    for (const row of rows) {
      const name = `${row.server} ${row.plant}, neighbour ${row.neighbour.share}, ${row.builds.base}`;
      const [timed, counted] = [decided(row, false), decided(row, true)];
      lines.push(`${name}: ${timed}`);
      if (counted !== timed) lines.push(`${name}, with counts: ${counted}`);
    }
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(join(import.meta.dirname, "verdicts.golden.txt"));
});

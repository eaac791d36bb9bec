/** The figures of the runs as Markdown. */

import { clopperPearson } from "../../src/compare/proportion.js";
import { plural } from "../../src/messages/sentence.js";
import { markdownGrid } from "../../src/report/text/markdown.js";
import { isTimedFirst, PLANTS, type Plant } from "./apps.js";
import type { InstructionsFile, JudgedRow } from "./judged-row.js";

const TITLES: Readonly<Record<Plant, string>> = {
  none: "the same code",
  half: "some 0.5 % more work",
  one: "some 1 % more work",
  three: "some 3 % more CPU time",
};
/** Seconds of a row that is only counted, and of one that is measured in pairs too; the share of rows that has to be found within them. */
const WITHIN = {
  counted: { seconds: 40, least: 0.95 },
  fine: { seconds: 120, least: 0.9 },
  usual: { seconds: 60, least: 0.99 },
  besideNeighbour: { seconds: 60, least: 0.9 },
};

export function chapter(file: InstructionsFile): string {
  const { rows, notCounted = [] } = file;
  const servers = [...new Set(rows.map(({ server }) => server))];
  const counts = PLANTS.flatMap((plant) => {
    const own = rows.filter((row) => row.plant === plant);
    const without = notCounted.filter((row) => row.plant === plant).length;
    return own.length + without === 0 ? [] : [countLine(plant, own, without)];
  });
  const sizes = servers.flatMap((server) =>
    PLANTS.flatMap((plant) => {
      const own = rows.filter((row) => row.server === server && row.plant === plant);
      return own.length === 0 ? [] : [sizeLine(server, plant, own)];
    }),
  );
  return `${head(file)}

- Machine: ${file.machine}, ${file.cpus} CPUs; Valgrind ${file.valgrind}
- Begun: ${file.startedAt}
- Neighbour: ${neighbourText(file)}
- ${plural(file.runs, "run")} of ${servers.length} servers (${servers.join(", ")}), ${rowsText(file)} in ${(file.measuredSec / 60).toFixed(0)} minutes
${(file.notes ?? []).map((note) => `- ${note}\n`).join("")}
## Targets

A target is proven when the whole 95 % interval (Clopper and Pearson) meets it.${isTimedFirst(file.detect) ? "" : " A row that could not be counted is not found; among\nidentical sides it is left out."}

${markdownGrid(["Target", "Result", "95 % interval", ""], targetLines(file))}

## Verdicts

${markdownGrid(["Head has", "Rows", "worse", "unchanged", "inconclusive", "better", isTimedFirst(file.detect) ? "no verdict" : "not counted"], counts)}

## Sizes and time

Seconds are those of all rounds of a row${file.detect === undefined ? "" : ", and of its pairs"}. The rows run one after the other on two CPUs, one for each side.

${markdownGrid(["Server", "Head has", `${isTimedFirst(file.detect) ? "CPU per request" : "Changes"}: least, mean, largest`, "Rounds, on average", "Seconds: mean, largest"], sizes)}
`;
}

function rowsText({ rows, notCounted = [], detect }: InstructionsFile): string {
  if (!isTimedFirst(detect)) return `${rows.length} rows counted and ${notCounted.length} not counted`;
  const counted = rows.filter(({ rounds }) => rounds > 0).length;
  return `${rows.length} rows, ${counted} of them counted, and ${notCounted.length} without a verdict,`;
}

function head({ neighbour, detect }: InstructionsFile): string {
  const title = detect === undefined ? "Instructions per request" : `Changes of ${detect} %`;
  const name = detect === undefined ? "instructions" : isTimedFirst(detect) ? "usual" : "fine";
  const option = detect === undefined ? "" : ` --detect ${detect}`;
  const looked =
    detect === undefined
      ? "with `--metrics instructions`"
      : `with \`--detect ${detect}\`: it ${isTimedFirst(detect) ? "measures pairs, and counts the instructions of rows that look changed after 12 of them" : "counts instructions, and then measures pairs"}. Verdict and seconds are those of the whole row`;
  return `# ${title}: how often the verdicts are right

Written by \`npm run evaluate -- instructions docs/evaluation-${name}.json --runs N --neighbours ${percent(neighbour)}${option}\`. Each run
compares two environments that were installed separately, ${looked}. In some rows head's app runs extra statements in each request.`;
}

function neighbourText({ neighbour }: InstructionsFile): string {
  if (neighbour === 0) return "none.";
  return `a script that keeps each CPU busy for ${percent(neighbour)} % of the time, beside the machine's other work.`;
}

function percent(share: number): string {
  return (share * 100).toFixed(0);
}

interface Target {
  readonly title: string;
  readonly rows: readonly JudgedRow[];
  /** Rows that were not counted and belong to all. */
  readonly notCounted?: number;
  readonly counts: (row: JudgedRow) => boolean;
  /** The share has to be at most, or at least, this. */
  readonly most?: number;
  readonly least?: number;
}

function limitOf({ detect, neighbour }: Pick<InstructionsFile, "detect" | "neighbour">): keyof typeof WITHIN {
  if (detect === undefined) return "counted";
  if (!isTimedFirst(detect)) return "fine";
  return neighbour === 0 ? "usual" : "besideNeighbour";
}

function targetLines({ rows, notCounted = [], detect, neighbour }: InstructionsFile): string[][] {
  const { seconds, least } = WITHIN[limitOf({ detect, neighbour })];
  const of = (plant: Plant) => rows.filter((row) => row.plant === plant);
  const planted = (plant: Plant) => ({
    rows: of(plant),
    notCounted: notCounted.filter((row) => row.plant === plant).length,
  });
  const isFound = ({ verdict }: JudgedRow) => verdict === "worse";
  const targets: readonly Target[] = [
    {
      title: "Called worse or better between identical sides: at most 1 % of rows",
      rows: of("none"),
      counts: ({ verdict }) => verdict === "worse" || verdict === "better",
      most: 0.01,
    },
    { title: "1 % more work found: at least 99 %", ...planted("one"), counts: isFound, least: 0.99 },
    {
      title: `1 % more work found within ${seconds} s: at least ${percent(least)} %`,
      ...planted("one"),
      counts: (row) => isFound(row) && row.seconds <= seconds,
      least,
    },
    {
      title: `3 % more CPU time found within ${seconds} s: at least ${percent(least)} %`,
      ...planted("three"),
      counts: (row) => isFound(row) && row.seconds <= seconds,
      least,
    },
    { title: "0.5 % more work found: at least 90 %", ...planted("half"), counts: isFound, least: 0.9 },
  ];
  return targets.flatMap((target) => (target.rows.length + (target.notCounted ?? 0) === 0 ? [] : [targetLine(target)]));
}

function targetLine({ title, rows, notCounted = 0, counts, most = 1, least = 0 }: Target): string[] {
  const hits = rows.filter(counts).length;
  const all = rows.length + notCounted;
  const [low, high] = clopperPearson(hits, all);
  const share = hits / all;
  const isMet = share <= most && share >= least;
  const isProven = high <= most && low >= least;
  const word = isProven ? "proven" : isMet ? "met, too few rows to prove it" : "missed";
  return [title, `${hits} of ${all}`, `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} %`, word];
}

function countLine(plant: Plant, rows: readonly JudgedRow[], notCounted: number): string[] {
  const count = (verdict: string) => String(rows.filter((row) => row.verdict === verdict).length);
  const counts = ["worse", "unchanged", "inconclusive", "better"].map(count);
  return [TITLES[plant], String(rows.length + notCounted), ...counts, String(notCounted)];
}

function sizeLine(server: string, plant: Plant, rows: readonly JudgedRow[]): string[] {
  const changes = rows.map(({ change }) => change * 100);
  const seconds = rows.map((row) => row.seconds);
  const size = [Math.min(...changes), mean(changes), Math.max(...changes)].map((value) => value.toFixed(2));
  return [
    ...[server, TITLES[plant], `${size.join(", ")} %`, mean(rows.map(({ rounds }) => rounds)).toFixed(1)],
    `${mean(seconds).toFixed(0)}, ${Math.max(...seconds).toFixed(0)}`,
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

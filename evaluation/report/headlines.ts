/** The figures that other pages quote, the weak ones too. */
import { markdownTable } from "markdown-table";
import type { Cell, Found } from "../resample/evaluate.js";
import { SLOW_TAIL } from "../resample/pools.js";
import { hits, percent } from "./words.js";

const COLUMNS = ["Reports of one benchmark, first run", "Quiet machine", "Next to other load"];

/** A line, and its figure of a cell; where it was not recorded, the figure is empty. */
type Line = readonly [what: string, where: Partial<Cell>, figure: (cell: Cell) => string | undefined];

const FIRST_RUN = { rows: 1, pool: "recentred", earlierRuns: 0, counts: false, latency: false } as const;
const NEIGHBOURS = [0, 0.25];

const LINES: readonly Line[] = [
  [
    "False `better` or `worse` between two builds of the same code",
    { pool: "raw" },
    ({ falsePerRow }) => hits(falsePerRow),
  ],
  ["A slowdown of 3 % found within 20 s", {}, found("cpu:3", "foundIn20Sec")],
  ["A slowdown of 3 % found within 60 s", {}, found("cpu:3", "foundIn60Sec")],
  ["The same, with instruction counts", { counts: true }, found("cpu:3", "foundIn60Sec")],
  ["A slowdown of 3 % called `unchanged`", {}, found("cpu:3", "unchanged")],
  ["Time of a benchmark without a change, on average", {}, ({ identicalRowSec }) => `${identicalRowSec.toFixed(0)} s`],
  ["`--detect 1`: a slowdown of 1 % found within 120 s", { detect: 0.01 }, found("cpu:1", "foundIn120Sec")],
  ["The same, with instruction counts", { detect: 0.01, counts: true }, found("cpu:1", "foundIn120Sec")],
  [
    "`--latency`: a p99 that is 10 % longer, found within 60 s",
    { latency: true },
    found(SLOW_TAIL.plant, "foundIn60Sec"),
  ],
  [
    "Reports of 20 identical benchmarks with any false verdict",
    { rows: 20 },
    ({ falsePerReport }) => percent(falsePerReport.share),
  ],
];

function found(plant: string, share: "foundIn20Sec" | "foundIn60Sec" | "foundIn120Sec" | "unchanged") {
  return (cell: Cell) => {
    const one: Found | undefined = cell.found.find((each) => each.plant === plant);
    return one && percent(one[share].share);
  };
}

export function headlines(cells: readonly Cell[]): string[][] {
  return LINES.map(([what, where, figure]) => {
    const figures = NEIGHBOURS.map((neighbour) => {
      const wanted = Object.entries({ detect: undefined, ...FIRST_RUN, ...where, neighbour });
      const cell = cells.find((one) => wanted.every(([name, value]) => Reflect.get(one, name) === value));
      return (cell && figure(cell)) ?? "";
    });
    return [what, ...figures];
  });
}

/** Their words are Markdown. */
export function headlineTable(lines: readonly (readonly string[])[]): string {
  return markdownTable([COLUMNS, ...lines], { align: ["", "right", "right"] });
}

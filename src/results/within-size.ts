/**
 * A results file is never larger than a reader accepts. Where a run or a merge has more, it leaves out slices and pairs that
 * figures were made from, never a figure or a verdict.
 */
import type { ComparedRow } from "./comparison.js";
import { countValues } from "./count-values.js";
import { piecesOf } from "./layout.js";
import { FILE_BYTES_MAX, VALUES_MAX } from "./limits.js";
import type { Results } from "./schema.js";

/** Nine times those of usual rows, with all that a row has beside its slices. Below them a count would only cost time, at every write. */
const BYTES_PER_SLICE = 1_500;
const VALUES_PER_SLICE = 80;
/** For the warning. */
const ROOM: Size = { bytes: 10_000, values: 10 };

/** A case of more than one slice was measured in pairs. */
const SLICES_LEFT = 2;

const WITHOUT_SLICES =
  "Cases that were measured in pairs have only two slices in results.json, because the file would be too large to be read.";

interface Size {
  readonly bytes: number;
  readonly values: number;
}
const MOST: Size = { bytes: FILE_BYTES_MAX, values: VALUES_MAX };

/**
 * Results that fit are given back as they are. Otherwise what they lose first is the slices of cases in pairs, whose pairs have
 * slices too, then the pairs of unchanged rows, then those of other rows. A warning of the run says what was left out.
 */
export function withinSize(results: Results, most: Size = MOST): Results {
  if (!mayExceed(results, most) || excess(sizeOf(results), most) === undefined) return results;
  const thin = withoutSlices(results);
  const over = excess(sizeOf(thin), most);
  return over === undefined ? thin : withoutPairs(thin, over);
}

/** Few slices need no count. */
function mayExceed({ cases, comparison }: Results, most: Size): boolean {
  const ofCases = cases.map((one) => (one.state === "skipped" ? 0 : (one.slices?.length ?? 0)));
  const ofPairs = rowsOf(comparison).flatMap(({ recorded = [] }) => recorded.map(({ slices }) => slices.length));
  const slices = [...ofCases, ...ofPairs].reduce((sum, count) => sum + count, 0);
  return slices * BYTES_PER_SLICE > most.bytes || slices * VALUES_PER_SLICE > most.values;
}

function rowsOf(comparison: Results["comparison"]): readonly ComparedRow[] {
  return comparison ? [...comparison.rows, ...(comparison.controls ?? [])] : [];
}

function sizeOf(results: Results): Size {
  const size = { bytes: 0, values: 0 };
  for (const text of piecesOf(results)) {
    size.bytes += Buffer.byteLength(text);
    size.values += countValues(text);
  }
  return size;
}

/** What is too much; undefined: nothing is. */
function excess({ bytes, values }: Size, most: Size): Size | undefined {
  const over = { bytes: bytes + ROOM.bytes - most.bytes, values: values + ROOM.values - most.values };
  return over.bytes > 0 || over.values > 0 ? over : undefined;
}

function withoutSlices(results: Results): Results {
  const inPairs = new Set(rowsOf(results.comparison).flatMap(({ id, recorded }) => (recorded ? [id] : [])));
  let thinned = false;
  const cases = results.cases.map((one) => {
    if (one.state !== "completed" || !inPairs.has(one.id) || one.slices.length <= SLICES_LEFT) return one;
    thinned = true;
    return { ...one, slices: one.slices.slice(0, SLICES_LEFT) };
  });
  return thinned ? warned({ ...results, cases }, WITHOUT_SLICES) : results;
}

function withoutPairs(results: Results, over: Size): Results {
  const { comparison } = results;
  if (!comparison) return results;
  const left = { ...over };
  const thinned = new Set<ComparedRow>();
  for (const row of rowsOf(comparison).toSorted((a, b) => importance(a) - importance(b))) {
    if (left.bytes <= 0 && left.values <= 0) break;
    if (!row.recorded) continue;
    const text = JSON.stringify(row.recorded);
    left.bytes -= Buffer.byteLength(text);
    left.values -= countValues(text);
    thinned.add(row);
  }
  if (thinned.size === 0) return results;
  const thin = (rows: readonly ComparedRow[]) =>
    rows.map((row) => {
      if (!thinned.has(row)) return row;
      const { recorded: _, ...rest } = row;
      return { ...rest, mode: "paired" as const };
    });
  const { controls } = comparison;
  const thinner = { ...comparison, rows: thin(comparison.rows), ...(controls && { controls: thin(controls) }) };
  return warned(
    { ...results, comparison: thinner },
    `results.json has the figures and verdicts of all rows, and lacks the pairs of ${thinned.size} of them, because it would be too large to be read.`,
  );
}

function importance({ verdict }: ComparedRow): number {
  return verdict === "unchanged" ? 0 : 1;
}

function warned(results: Results, text: string): Results {
  return { ...results, run: { ...results.run, warnings: [...results.run.warnings, text] } };
}

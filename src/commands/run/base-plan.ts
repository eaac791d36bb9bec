/** Base's checkout and plan, and the rows that are measured on both sides. */
import { cp, stat } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { matchSides, pairAt, pairKey, type RowPair } from "../../compare/sides.js";
import { uncomparedRow } from "../../compare/uncompared.js";
import { InputError } from "../../errors.js";
import { nameSome } from "../../messages/sentence.js";
import { type PlanOptions, planRun, rowsOf } from "../../plan/plan.js";
import { isFolderOrWheel } from "../../plan/requirements.js";
import { namesRow, splitSelectors } from "../../plan/select.js";
import type { Plan, PlannedRow } from "../../plan/types.js";
import { isIdenticalOnBothSides } from "../../provision/sides/identical.js";
import { ignoredNote } from "../../provision/sides/ignored-files.js";
import { type BaseSide, type BaseSource, describeSource, makeBase } from "../../provision/sides/sides.js";
import { startedDifferently } from "../../provision/sides/started.js";
import type { ProvisionProgress } from "../../provision/types.js";
import type { UncomparedRow } from "../../results/comparison.js";
import { planWithPythons } from "../planning.js";
import type { ProcessContext } from "../process-context.js";
import { bodyDigests } from "./body-digests.js";

export interface PairedPlan {
  readonly base: Readonly<Record<string, string>>;
  readonly measured: readonly RowPair[];
  /** One of the rows that are identical on both sides, measured like the others to show the noise. */
  readonly control: RowPair | undefined;
  /** The other rows that are identical on both sides: they are not measured. */
  readonly identical: readonly PlannedRow[];
  /** Rows of head that are measured without base. */
  readonly alone: readonly PlannedRow[];
  readonly uncompared: readonly UncomparedRow[];
  /** What differs between the sides beside their commits. */
  readonly notes?: readonly string[];
}

/** The rows that are measured in pairs, in this order. */
export function pairsToMeasure({ measured, control }: PairedPlan): readonly RowPair[] {
  return control ? [...measured, control] : measured;
}

export interface BasePlanning {
  readonly source: BaseSource;
  /** Head's, and what it was planned with. */
  readonly plan: Plan;
  readonly options: Omit<PlanOptions, "python" | "pythons">;
  readonly python: string | undefined;
  readonly context: ProcessContext;
  readonly progress: ProvisionProgress;
  readonly tempDir: string;
  /** Whether a commit without the scenario files is measured by head's. */
  readonly lendsScenarios?: boolean;
}

/** Base has the selected rows, with another load. */
export class OtherLoad extends InputError {}

/** Why there is no pair. Rows are matched by their ids, which their titles make. */
function nothingToPair(
  { source, options }: BasePlanning,
  rows: readonly PlannedRow[],
  uncompared: readonly UncomparedRow[],
): InputError {
  const selected = options.selectors.join(", ");
  const changed = uncompared.flatMap(({ id, kind, reason }) => (kind === "not-comparable" ? [`${id}: ${reason}`] : []));
  if (changed.length > 0)
    return new OtherLoad(
      `the load of the selected rows (${selected}) is another one than that of ${source.asked}: ${nameSome(changed)}. Figures of two loads cannot be compared`,
    );
  const others =
    rows.length === 0
      ? ""
      : `. It has ${nameSome(rows.map(({ id }) => id))}: choose a commit with rows of the same titles`;
  return new InputError(`${source.asked} has none of the rows that were selected (${selected})${others}`);
}

/** @throws InputError for a base that lacks the scenarios, or has none of the selected rows */
export async function planPaired(planning: BasePlanning): Promise<PairedPlan> {
  const { source, plan } = planning;
  const head = rowsOf(plan);
  const base = await planBase(planning);
  const { pairs, alone, uncompared } = matchSides(base.rows, head, await bodyDigests([...base.rows, ...head]));
  if (pairs.length === 0) throw nothingToPair(planning, base.rows, uncompared);
  const measured: RowPair[] = [];
  const equal: RowPair[] = [];
  for (const pair of pairs) {
    if (await isIdenticalOnBothSides(pair.base, pair.head, base.side)) equal.push(pair);
    else measured.push(withStart(pair, base.side));
  }
  if (measured.length === 0 && source.kind === "commit" && (await base.side.hasSameFiles()))
    planning.progress.note(
      `${source.asked} has the same files as the checkout, so there is no change to measure: give another commit`,
    );
  const [control, ...rest] = equal;
  const identical = rest.map((pair) => pair.head);
  return {
    base: describeSource(source),
    measured,
    control,
    identical,
    alone,
    notes: pairs.some(isOfCheckout) ? ignoredNote(await base.side.ignoredInHead()) : [],
    uncompared: [
      ...uncompared,
      ...identical.map((row) => uncomparedRow(row, "cannot-have-changed", CANNOT_HAVE_CHANGED)),
    ],
  };
}

/** Its app lies in the checkout, where it can read any file. */
function isOfCheckout({ base, head }: RowPair): boolean {
  return base.server.cwd !== head.server.cwd;
}

function withStart(pair: RowPair, side: BaseSide): RowPair {
  const started = startedDifferently(pair.base, pair.head, side);
  return started === undefined ? pair : { ...pair, started };
}

export const CANNOT_HAVE_CHANGED = "the same packages, app and command on both sides";

/** A row of head, at the concurrency that was measured. */
interface WantedPair {
  readonly id: string;
  readonly connections: number;
}

export interface PlannedPairs {
  readonly pairs: readonly RowPair[];
  /** By `pairKey`: why a wanted row is not among the pairs. */
  readonly refused: ReadonlyMap<string, string>;
  /** By `pairKey`: rows that are identical on both sides. */
  readonly identical: ReadonlySet<string>;
}

/**
 * The pairs of some rows of head.
 * @throws InputError for a base that cannot be checked out, or lacks the scenarios
 */
export async function planPairs(planning: BasePlanning, wanted: readonly WantedPair[]): Promise<PlannedPairs> {
  const { rows, side } = await planBase(planning);
  const base = new Map(rows.map((row) => [row.id, row]));
  const head = new Map(rowsOf(planning.plan).map((row) => [row.id, row]));
  const bodies = await bodyDigests([...base.values(), ...head.values()]);
  const pairs: RowPair[] = [];
  const refused = new Map<string, string>();
  const identical = new Set<string>();
  for (const { id, connections } of wanted) {
    const row = head.get(id);
    const pair = row && pairAt(base.get(id), row, connections, bodies);
    const key = pairKey({ id, connections });
    if (!pair || !("head" in pair)) refused.set(key, pair?.reason ?? "base has no such row");
    else if (await isIdenticalOnBothSides(pair.base, pair.head, side)) identical.add(key);
    else pairs.push(withStart(pair, side));
  }
  return { pairs, refused, identical };
}

/** Where a commit is checked out. @param tempDir of the run */
export function baseCheckout(tempDir: string): string {
  return join(tempDir, "base");
}

/** Base's rows that the selectors name. A row that base does not have is new, and no mistake. */
async function planBase(
  planning: BasePlanning,
): Promise<{ readonly side: BaseSide; readonly rows: readonly PlannedRow[] }> {
  const { source, options, python, context, progress, tempDir, plan } = planning;
  const side = await makeBase(source, options.cwd, baseCheckout(tempDir));
  const servers = (options.servers ?? []).map((spec) => counterpartSpec(planning, spec, side.counterpart));
  const scenarios = options.scenarios === undefined ? {} : { scenarios: side.counterpart(options.scenarios) };
  if (planning.lendsScenarios) await lendScenarios(planning, scenarios.scenarios);
  await checkScenarios(planning, scenarios.scenarios);
  try {
    const all = { ...options, cwd: side.cwd, selectors: [], servers, ...scenarios };
    const planned = plan.sets.some((set) => set.rows.some((row) => "python" in row.knobs))
      ? await planWithPythons(all, python, context, progress)
      : await planRun({ ...all, ...(python === undefined ? {} : { python: python.split(",")[0] ?? python }) });
    const asked = splitSelectors(options.selectors);
    return { side, rows: rowsOf(planned).filter((row) => namesRow(asked, row.id)) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${source.asked}: ${side.withCommitNames(error.message)}`);
  }
}

/** Head's scenario files for a commit from before they were written. Its checkout is ours, so they can be copied there. */
async function lendScenarios({ source, options, progress }: BasePlanning, wanted: string | undefined): Promise<void> {
  const { scenarios } = options;
  if (source.kind !== "commit" || scenarios === undefined || wanted === undefined || wanted === scenarios) return;
  if (await stat(wanted).catch(() => undefined)) return;
  await cp(scenarios, wanted, { recursive: true });
  progress.note(`${source.asked} has no folder ${basename(scenarios)}, so that of head is used for both sides`);
}

/** @throws InputError in the words of whoever looks for the folder: base's path is ours */
async function checkScenarios({ source, options }: BasePlanning, wanted: string | undefined): Promise<void> {
  if (options.scenarios === undefined || wanted === undefined || (await stat(wanted).catch(() => undefined))) return;
  throw new InputError(`${source.asked} has no folder ${relative(options.cwd, options.scenarios)}`);
}

/** `granian=./granian` -> the same folder of base. One outside of the checkout is the same on both sides. */
function counterpartSpec(
  { options, progress }: BasePlanning,
  spec: string,
  counterpart: (path: string) => string,
): string {
  const split = spec.indexOf("=");
  const value = spec.slice(split + 1);
  if (!isFolderOrWheel(value)) return spec;
  const path = resolve(options.cwd, value);
  const ofBase = counterpart(path);
  if (ofBase === path)
    progress.note(
      `--server ${spec}: it is outside of this checkout, so both sides have it as it is now; to compare its commits, start the run in its checkout`,
    );
  return `${spec.slice(0, split + 1)}${ofBase}`;
}

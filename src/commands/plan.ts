/** `plan`: rows -> shards, as the matrix of a workflow. Nothing is measured or installed. */

import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { InputError, messageOf, SetupError } from "../errors.js";
import { duration } from "../messages/duration.js";
import { plural } from "../messages/sentence.js";
import { DEFAULTS } from "../options/options.js";
import { type Matrix, matrixOf, planFileOf } from "../plan/matrix.js";
import { COMMAND_LINE, type OptionNames } from "../plan/option-names.js";
import { planRun } from "../plan/plan.js";
import { selectSets, splitSelectors } from "../plan/select.js";
import { environmentOf, parseShards, type Shard, shardRows } from "../plan/shards.js";
import type { PlannedRow, PlannedSet } from "../plan/types.js";
import { escapeText } from "../report/text/escape.js";
import { markdownGrid } from "../report/text/markdown.js";
import type { PlanFile } from "../results/plan-file.js";
import type { ProfileName } from "../results/schema.js";
import { withDefaults } from "./defaults.js";
import { openDisplay } from "./display.js";
import { joinedOf, type ParsedCommand, textOf } from "./options.js";
import { planWithPythons } from "./planning.js";
import type { ProcessContext } from "./process-context.js";

export interface ShardOptions {
  readonly selectors: readonly string[];
  readonly profile: string;
  /** Absolute. */
  readonly scenarios?: string;
  readonly servers: readonly string[];
  /** Versions or paths, separated by commas. */
  readonly python?: string;
  /** Shards wanted, 1 to 256. */
  readonly shards: number;
  /** CPUs of the machines that will measure; undefined: as many as this one has. */
  readonly cores?: number;
  /** Default: the command line's. */
  readonly names?: OptionNames;
}

export interface ShardedPlan {
  readonly shards: readonly Shard[];
  readonly matrix: Matrix;
  /** For `report --plan`. */
  readonly file: PlanFile;
  /** What the user should know about the plan. */
  readonly notes: readonly string[];
  /** A table to read, for a terminal or a log, and for a step's summary. */
  readonly text: string;
  readonly markdown: string;
}

export async function plan(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  const planned = await planShards(optionsOf(parsed, context), context);
  const file = textOf(parsed, "plan");
  if (file !== undefined) await writePlan(resolve(context.cwd, file), planned.file);
  const json = parsed.flags.has("json");
  if (json) for (const note of planned.notes) context.stderr.write(`server-bench: ${note}\n`);
  // One line, as a job output (`matrix=...`) needs it.
  context.stdout.write(`${json ? JSON.stringify(planned.matrix) : planned.text}\n`);
  return 0;
}

function optionsOf(parsed: ParsedCommand, context: ProcessContext): ShardOptions {
  const [scenarios, python, cores] = [textOf(parsed, "scenarios"), joinedOf(parsed, "python"), textOf(parsed, "cores")];
  const shards = textOf(parsed, "shards");
  if (shards === undefined) throw new InputError("plan needs --shards N: how many jobs may measure");
  return {
    selectors: parsed.positionals,
    profile: textOf(parsed, "profile") ?? DEFAULTS.profile,
    servers: parsed.values.get("server") ?? [],
    shards: parseShards(shards),
    ...(scenarios === undefined ? {} : { scenarios: resolve(context.cwd, scenarios) }),
    ...(python === undefined ? {} : { python }),
    ...(cores === undefined ? {} : { cores: parseCores(cores) }),
  };
}

/** @throws InputError for anything but a number of CPUs */
function parseCores(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InputError(`invalid --cores "${text}": give the number of CPUs of the machines that measure`);
}

/** @throws SetupError for a file that cannot be written */
async function writePlan(file: string, planned: PlanFile): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(planned)}\n`);
  } catch (error) {
    throw new SetupError(`cannot write ${file}: ${messageOf(error)}`);
  }
}

/**
 * The same rows, options and machine give the same shards.
 * @throws InputError for wrong options, before anything is started; SetupError when the Pythons of a set over Pythons
 * cannot be found
 */
export async function planShards(options: ShardOptions, context: ProcessContext): Promise<ShardedPlan> {
  const { names = COMMAND_LINE } = options;
  const wanted = parseShards(String(options.shards), names.shards);
  const chosen = await withDefaults(options, context, names);
  const selectors = splitSelectors(chosen.selectors);
  const planning = {
    root: context.root,
    cwd: context.cwd,
    profile: options.profile,
    servers: chosen.servers,
    names,
    // Whole sets are planned: a glob may shorten a list of rows only where it matches no other row of the set.
    selectors: selectors.map((selector) => selector.split("/")[0] ?? selector),
    cores: options.cores ?? availableParallelism(),
    ...(chosen.scenarios === undefined ? {} : { scenarios: chosen.scenarios }),
  };
  const { setup } = openDisplay(context.stderr, context.env);
  const { profile, sets, library } = await planWithPythons(planning, options.python, context, setup);
  const selected = selectors.length === 0 ? sets : selectSets(sets, selectors);
  const rows = selected.flatMap((set) => set.rows);
  const shards = shardRows(rows, profile, wanted);
  const allPythons = selected.filter(({ name }) => library.sets.get(name)?.value.pythons === "all");
  const notes = [
    ...(shards.length < wanted
      ? [`${plural(rows.length, "benchmark")} for ${wanted} shards: ${plural(shards.length, "shard")}`]
      : []),
    ...chosen.notes,
    ...(await coresNotes(selected, planning)),
    ...(allPythons.length > 0 && options.python === undefined
      ? [
          `the rows of ${namesOf(allPythons)} follow the Pythons of this machine; give ${names.python} to name them yourself`,
        ]
      : []),
  ];
  const matrix = matrixOf(shards, sets);
  const table = { shards, matrix, rows, notes, profile: profile.name };
  return { shards, matrix, file: planFileOf(shards), notes, text: planText(table), markdown: planMarkdown(table) };
}

/** Rows whose ids contain the number of CPUs are other rows on another machine. */
async function coresNotes(
  selected: readonly PlannedSet[],
  planning: Omit<Parameters<typeof planRun>[0], "python" | "pythons">,
): Promise<string[]> {
  const { cores, names = COMMAND_LINE } = planning;
  // This other number gives different values for every share of the CPUs.
  const [here, elsewhere] = await Promise.all(
    [cores, 3 * cores + 2].map(async (count) => idsOf((await planRun({ ...planning, cores: count })).sets)),
  );
  const following = selected.filter(({ name }) => here?.get(name) !== elsewhere?.get(name));
  if (following.length === 0) return [];
  return [
    `the rows of ${namesOf(following)} follow the machine's CPUs: this plan is for machines with ${cores}; give ${names.cores} for others`,
  ];
}

function namesOf(sets: readonly PlannedSet[]): string {
  return sets.map(({ name }) => name).join(", ");
}

function idsOf(sets: readonly PlannedSet[]): Map<string, string> {
  return new Map(sets.map(({ name, rows }) => [name, rows.map(({ id }) => id).join()]));
}

interface PlanTable {
  readonly shards: readonly Shard[];
  readonly matrix: Matrix;
  readonly rows: readonly PlannedRow[];
  readonly notes: readonly string[];
  readonly profile: ProfileName;
}

const HEADINGS = ["Shard", "Minutes", "Rows", "Environments", "Scenarios"];

function planText(plan: PlanTable): string {
  const grid = [HEADINGS, ...cellsOf(plan)];
  const widths = HEADINGS.map((_, i) => Math.max(...grid.map((cells) => cells[i]?.length ?? 0)));
  const lines = grid.map((cells) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const notes = plan.notes.map((note) => `note: ${note}`);
  return [headline(plan), "", ...lines, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n");
}

function planMarkdown(plan: PlanTable): string {
  const notes = plan.notes.map((note) => `> **Note:** ${escapeText(note)}`);
  return [headline(plan), markdownGrid(HEADINGS, cellsOf(plan)), ...notes].join("\n\n");
}

function headline({ shards, rows, profile }: PlanTable): string {
  const sec = shards.reduce((sum, { expectedSec }) => sum + expectedSec, 0);
  const longestSec = Math.max(0, ...shards.map(({ expectedSec }) => expectedSec));
  const time = `${duration(longestSec)} side by side instead of ${duration(sec)}`;
  return `${plural(rows.length, "benchmark")} in ${plural(shards.length, "shard")}: ${time} (profile ${profile}, without set-up).`;
}

function cellsOf({ shards, matrix, rows }: PlanTable): string[][] {
  const environments = new Map(rows.map((row) => [row.id, environmentOf(row)]));
  return shards.map((shard, i) => {
    const { shard: name = "", minutes = 0, scenarios = "" } = matrix.include[i] ?? {};
    const installed = new Set(shard.rows.map((id) => environments.get(id)));
    return [name, minutes.toFixed(1), `${shard.rows.length}`, `${installed.size}`, scenarios.replaceAll(",", " ")];
  });
}

/** Selectors and options -> the plan of a run. */
import { resolve } from "node:path";
import { expandSet, launchersFolder } from "./expand.js";
import { type Library, loadLibrary } from "./load.js";
import { methodology } from "./methodology.js";
import { COMMAND_LINE, type OptionNames } from "./option-names.js";
import { checkPlanSize } from "./plan-size.js";
import { profileNamed } from "./profile.js";
import { parseServerSpecs } from "./requirements.js";
import { namesSet, selectSets, splitSelectors } from "./select.js";
import type { Plan, PlannedRow, PythonChoice } from "./types.js";

export interface PlanOptions {
  /** Folder of the tool itself: its scenarios/ and python-apps/. */
  readonly root: string;
  readonly cwd: string;
  /** Sets, rows or globs; none: every set. */
  readonly selectors: readonly string[];
  /** A shard has the methodology of whole sets: its results are merged with those of their other rows. Default: that of the selected rows. */
  readonly ofWholeSets?: boolean;
  readonly profile: string;
  readonly scenarios?: string;
  /** `NAME=SPEC` */
  readonly servers?: readonly string[];
  readonly python?: string;
  /** The Pythons of the machine, for sets that run under each; without them `all` is the run's own Python alone. */
  readonly pythons?: readonly PythonChoice[];
  /** CPUs of the machine. */
  readonly cores: number;
  /** Default: the command line's. */
  readonly names?: OptionNames;
}

export interface Planned extends Plan {
  readonly library: Library;
}

/** @throws InputError; nothing has been started or written. */
export async function planRun(options: PlanOptions): Promise<Planned> {
  const { names = COMMAND_LINE } = options;
  const profile = profileNamed(options.profile, names.profile);
  const library = await loadLibrary(options.root, options.scenarios, names.scenarios);
  const serverSpecs = parseServerSpecs(options.servers ?? [], [...library.servers.keys()], options.cwd, names.server);
  const expansion = {
    profile,
    cores: options.cores,
    launchers: launchersFolder(options.root),
    serverSpecs,
    cwd: options.cwd,
    ...(options.scenarios === undefined ? {} : { scenarios: resolve(options.cwd, options.scenarios) }),
    ...(options.python === undefined ? {} : { python: options.python }),
    pythons: options.pythons ?? [],
  };
  const sets = [...library.sets].map(([name, source]) => expandSet(name, source, library, expansion));
  const selectors = splitSelectors(options.selectors);
  const chosen = selectors.length === 0 ? sets : selectSets(sets, selectors);
  const selected = options.ofWholeSets
    ? chosen
    : chosen.map((set) => ({ ...set, methodology: methodology(set, profile) }));
  checkPlanSize(selected);
  return { profile, library, sets: selected };
}

/**
 * Whether a selected set runs under several Pythons, so that the plan needs to know those of the machine.
 * @throws InputError for a wrong file
 */
export async function needsPythons({
  root,
  scenarios,
  selectors,
  names: options = COMMAND_LINE,
}: Pick<PlanOptions, "root" | "scenarios" | "selectors" | "names">): Promise<boolean> {
  const names = splitSelectors(selectors);
  const { sets } = await loadLibrary(root, scenarios, options.scenarios);
  return [...sets].some(([name, { value }]) => value.pythons !== undefined && namesSet(names, name));
}

/**
 * The names of everything that the scenario files can plan on a machine, whatever Pythons it has.
 * @throws InputError for a wrong file
 */
export async function plannableNames(
  { root, scenarios }: Pick<PlanOptions, "root" | "scenarios">,
  cores: number,
): Promise<{ readonly rows: string[]; readonly servers: string[] }> {
  const library = await loadLibrary(root, scenarios);
  const expansion = {
    ...{ profile: profileNamed("quick", "profile"), cores, launchers: launchersFolder(root), cwd: root },
    ...{ serverSpecs: new Map<string, string>(), pythons: ANY_PYTHON },
  };
  const sets = [...library.sets].map(([name, source]) => expandSet(name, source, library, expansion));
  return { rows: sets.flatMap((set) => set.rows.map(({ id }) => id)), servers: [...library.servers.keys()] };
}

/** Labels of CPython: `3.9`, `3.14t`. */
const ANY_PYTHON: readonly PythonChoice[] = Array.from({ length: 20 }, (_, i) => `3.${i + 1}`).flatMap((version) =>
  [version, `${version}t`].map((label) => ({ label, request: label })),
);

export function rowsOf(plan: Plan): readonly PlannedRow[] {
  return plan.sets.flatMap((set) => set.rows);
}

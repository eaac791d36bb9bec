/** Installs what the rows need, and nothing else: load generators, uv, and one Python environment per server. */

import { join } from "node:path";
import { allEnded } from "../all-ended.js";
import { causeOf, messageOf, SetupError } from "../errors.js";
import { groupBy } from "../group-by.js";
import type { EnvironmentSpec, PlannedRow } from "../plan/types.js";
import { openContext, type ProvisionContext, type ProvisionOptions } from "./context.js";
import { buildEnvironment, detailOf, environmentTarget, reuseEnvironment } from "./environments/environment.js";
import { GitReferenceError } from "./environments/git-commits.js";
import { environmentKey } from "./environments/key.js";
import { defaultPython, type Python, type PythonState, requestedPython } from "./environments/python.js";
import { giveSameVersions } from "./environments/same-versions.js";
import type { EnvironmentTarget } from "./environments/target.js";
import { markUsed, removeUnused } from "./environments/use-marks.js";
import { provideGenerators } from "./generators/generators.js";
import { provideUv } from "./tools/uv.js";
import type { EnvironmentState, GeneratorState, Provisioned, Tool } from "./types.js";

export type { ProvisionOptions } from "./context.js";

/** Base's environments are built before head's: the build of head is code of a pull request, and could change what base is built from. */
export interface BaseFirst {
  /** Of base. */
  readonly rows: readonly PlannedRow[];
  readonly headRows: readonly PlannedRow[];
  /**
   * Builds those of head alone. Not called where there are none.
   * @param environments base's, by key
   */
  buildHead(environments: ReadonlyMap<string, EnvironmentState>, build: () => Promise<void>): Promise<void>;
}

/** More at a time make the disk and the network the limit, and the output hard to follow. */
const BUILDS_AT_A_TIME = 2;

/**
 * Provides everything that the rows need. An environment that cannot be built, or whose Python is missing, has a state
 * that says so; the others are built.
 * @throws SetupError when no row could be measured: no Python, no uv, no load generator, no cache; the reason of the
 * run's signal when that is aborted.
 */
export async function provision(
  rows: readonly PlannedRow[],
  options: ProvisionOptions,
  base?: BaseFirst,
): Promise<Provisioned> {
  const context = await openContext(options);
  try {
    return await provideAll(context, rows, base);
  } catch (error) {
    context.run.signal.throwIfAborted();
    throw asSetupError(error, context);
  }
}

async function provideAll(
  context: ProvisionContext,
  rows: readonly PlannedRow[],
  base: BaseFirst | undefined,
): Promise<Provisioned> {
  const uv = once(() => provideUv(context));
  const environments = new Map<string, EnvironmentState>();
  const sideOf = sideLabels(base);
  const { targets, missing } = await findEnvironments(context, rows, sideOf, uv, environments);
  // Before the load generator, whose build may take minutes: without uv they would be for nothing.
  if (missing.size > 0) await uv();
  let generators: ReadonlyMap<string, GeneratorState> = new Map();
  await allEnded([
    buildSides(missing, base, environments, (some) => buildAll(context, some, uv, environments)).then(() =>
      giveSameVersions(context, targets, uv, environments),
    ),
    provideGenerators(context, rows).then((provided) => {
      generators = provided;
    }),
  ]);
  for (const state of environments.values())
    if (state.state === "ready") await markUsed(join(state.binDir, "..", ".."));
  // A cache grows when something is built.
  if (missing.size > 0) await removeUnused(context);
  return { environments, generators };
}

interface Targets {
  /** By key: all whose Python is there. */
  readonly targets: ReadonlyMap<string, EnvironmentTarget>;
  /** Those to build. */
  readonly missing: ReadonlyMap<string, EnvironmentTarget>;
}

/** Environment key -> what its step begins with where only one side needs it: `base: ` or `head: `. */
function sideLabels(sides: BaseFirst | undefined): (key: string) => string {
  const [base, head] = [keysOf(sides?.rows ?? []), keysOf(sides?.headRows ?? [])];
  return (key) => {
    if (base.has(key) === head.has(key)) return "";
    return base.has(key) ? "base: " : "head: ";
  };
}

function keysOf(rows: readonly PlannedRow[]): ReadonlySet<string> {
  return new Set(rows.map(({ environment }) => environmentKey(environment)));
}

/** Fills in what is known without building: reused environments, and those without a Python. */
async function findEnvironments(
  context: ProvisionContext,
  rows: readonly PlannedRow[],
  sideOf: (key: string) => string,
  uv: () => Promise<Tool>,
  environments: Map<string, EnvironmentState>,
): Promise<Targets> {
  const specs = new Map(rows.map(({ environment }) => [environmentKey(environment), environment]));
  const pythons = new Map<string | undefined, PythonState>();
  const targets = new Map<string, EnvironmentTarget>();
  const missing = new Map<string, EnvironmentTarget>();
  for (const [key, spec] of specs) {
    const known = pythons.get(spec.python);
    const found = known ?? (await findPython(context, spec, uv));
    pythons.set(spec.python, found);
    if (!known && found.state === "failed") context.progress.failed(`Python ${spec.python}`, found.reason);
    if (found.state !== "found") {
      environments.set(key, found);
      continue;
    }
    const target = await appTarget(context, spec, found.python, sideOf(key));
    if ("state" in target) {
      environments.set(key, target);
      continue;
    }
    targets.set(key, target);
    const reused = await reuseEnvironment(target);
    if (reused === undefined) {
      missing.set(key, target);
      continue;
    }
    environments.set(key, reused);
    context.progress.finished(target.step, { seconds: 0, detail: detailOf(target, reused), reused: true });
  }
  return { targets, missing };
}

/** An app whose files are not there, and a branch that no remote has, fail their own rows only; base may lack what head adds. */
async function appTarget(
  context: ProvisionContext,
  spec: EnvironmentSpec,
  python: Python,
  side: string,
): Promise<EnvironmentTarget | Extract<EnvironmentState, { readonly state: "failed" }>> {
  try {
    const target = await environmentTarget(context, spec, python);
    return { ...target, step: `${side}${target.step}` };
  } catch (error) {
    context.run.signal.throwIfAborted();
    const ownRowsOnly = spec.install !== undefined || error instanceof GitReferenceError;
    if (!ownRowsOnly || !(error instanceof SetupError)) throw error;
    const what = spec.install === undefined ? spec.server : `${spec.server} with ${spec.install.app}`;
    context.progress.failed(`${side}${what}`, error.message);
    return { state: "failed", reason: error.message, log: error.log };
  }
}

async function findPython(
  context: ProvisionContext,
  spec: EnvironmentSpec,
  uv: () => Promise<Tool>,
): Promise<PythonState> {
  if (spec.python !== undefined) return requestedPython(context, spec.python, uv);
  return { state: "found", python: await defaultPython(context) };
}

type Missing = Targets["missing"];

async function buildSides(
  missing: Missing,
  base: BaseFirst | undefined,
  environments: ReadonlyMap<string, EnvironmentState>,
  build: (some: Missing) => Promise<void>,
): Promise<void> {
  if (base === undefined) return await build(missing);
  const keys = keysOf(base.rows);
  const ofBase = new Map([...missing].filter(([key]) => keys.has(key)));
  const ofHead = new Map([...missing].filter(([key]) => !keys.has(key)));
  await build(ofBase);
  if (ofHead.size > 0) await base.buildHead(environments, () => build(ofHead));
}

async function buildAll(
  context: ProvisionContext,
  missing: ReadonlyMap<string, EnvironmentTarget>,
  uv: () => Promise<Tool>,
  environments: Map<string, EnvironmentState>,
): Promise<void> {
  // What is compiled for one of them is in uv's cache for the next.
  const compiled = ([key, { spec }]: readonly [string, EnvironmentTarget]) =>
    spec.systemPackages.length > 0 ? spec.distribution : key;
  const queue = groupBy([...missing], compiled).values();
  const work = async (): Promise<void> => {
    for (const group of queue)
      for (const [key, target] of group) environments.set(key, await buildEnvironment(context, target, await uv()));
  };
  await allEnded(Array.from({ length: BUILDS_AT_A_TIME }, work));
}

/** A full disk or a cache without permission is a fault of the machine, not a defect. */
function asSetupError(error: unknown, { cache }: ProvisionContext): unknown {
  if (error instanceof SetupError) return error;
  const cause = causeOf(error);
  if (!(cause instanceof Error && "syscall" in cause)) return error;
  return new SetupError(
    `cannot install into the cache ${cache}: ${messageOf(error)}; free space there, or set SERVER_BENCH_CACHE to another folder`,
  );
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Base and head get the same versions of unpinned packages. An environment is kept while its requirements stay the same:
 * base's can be a month old when head's is built, and a slower release of a dependency would look like head's change.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { steadyDate } from "../../clock.js";
import type { ProvisionContext } from "../context.js";
import type { EnvironmentState, ReadyEnvironment, Tool } from "../types.js";
import { buildEnvironment, reuseEnvironment } from "./environment.js";
import { contentKey, shortHash } from "./key.js";
import { MANIFEST } from "./manifest.js";
import { differingVersions } from "./package-notes.js";
import type { EnvironmentTarget } from "./target.js";

/** What an index serves changes little in this time. */
const DAY_MS = 24 * 60 * 60 * 1000;

interface Built {
  readonly key: string;
  readonly target: EnvironmentTarget;
  readonly state: ReadyEnvironment;
  readonly builtMs: number;
}

/**
 * Replaces the older one of two environments that should differ in a checkout's or an app's own code alone. A further
 * environment is built beside the older one, which another run may be using.
 * @param environments by key; changed where an environment is replaced
 */
export async function giveSameVersions(
  context: ProvisionContext,
  targets: ReadonlyMap<string, EnvironmentTarget>,
  uv: () => Promise<Tool>,
  environments: Map<string, EnvironmentState>,
): Promise<void> {
  for (const group of (await groupsOf(targets, environments)).values()) {
    const [newest, ...others] = group.sort((one, other) => other.builtMs - one.builtMs);
    for (const older of others) {
      if (newest === undefined || newest.builtMs - older.builtMs < DAY_MS) continue;
      if (differences(older.target, older.state, newest.state).length === 0) continue;
      const replaced = (await builtSince(older, newest)) ?? (await buildAgain(context, older, newest, await uv()));
      if (replaced.state === "ready") environments.set(older.key, replaced);
    }
  }
}

/** Environments that ask for the same, by what that is. */
async function groupsOf(
  targets: ReadonlyMap<string, EnvironmentTarget>,
  environments: ReadonlyMap<string, EnvironmentState>,
): Promise<ReadonlyMap<string, Built[]>> {
  const groups = new Map<string, Built[]>();
  for (const [key, target] of targets) {
    const state = environments.get(key);
    const builtMs = await builtMsOf(target.folder);
    // A lock leaves no version open.
    if (state?.state !== "ready" || builtMs === undefined || target.spec.install?.lock !== undefined) continue;
    const name = await askedBy(target);
    groups.set(name, [...(groups.get(name) ?? []), { key, target, state, builtMs }]);
  }
  return groups;
}

/** Requirements by their text, Python and app. */
async function askedBy({ spec, python }: EnvironmentTarget): Promise<string> {
  const { chosen, install } = spec;
  if (install === undefined) return shortHash([contentKey(spec), python]);
  const { app, requirements, extras, groups, editable } = install;
  const texts = await Promise.all(requirements.map(({ path }) => readFile(path, "utf8").catch(() => "")));
  return shortHash([contentKey(spec), python, chosen, app, texts, extras, groups, editable]);
}

/** undefined where another run is building it anew. */
async function builtMsOf(folder: string): Promise<number | undefined> {
  return (await stat(join(folder, MANIFEST)).catch(() => undefined))?.mtimeMs;
}

/** The versions that differ, beside those of the server and of local packages. */
function differences({ spec }: EnvironmentTarget, older: ReadyEnvironment, newer: ReadyEnvironment) {
  const row = { environment: spec };
  return differingVersions({ row, ready: older }, { row, ready: newer });
}

/**
 * What an earlier run built in the older one's place: with the same versions, or else no older than the newest, because
 * then it is head's own change that asks for others.
 */
async function builtSince({ target }: Built, newest: Built): Promise<ReadyEnvironment | undefined> {
  const { folder } = target;
  const names = await readdir(dirname(folder));
  const latestFirst = names
    .filter((one) => one.startsWith(`${basename(folder)}-`))
    .sort()
    .reverse();
  let since: ReadyEnvironment | undefined;
  for (const name of latestFirst) {
    const again = { ...target, folder: join(dirname(folder), name) };
    const state = await reuseEnvironment(again);
    if (state === undefined) continue;
    if (differences(target, state, newest.state).length === 0) return state;
    if (((await builtMsOf(again.folder)) ?? 0) > newest.builtMs - DAY_MS) since ??= state;
  }
  return since;
}

async function buildAgain(
  context: ProvisionContext,
  { target, state }: Built,
  newest: Built,
  uv: Tool,
): Promise<EnvironmentState> {
  const { folder, step } = target;
  const today = steadyDate().toISOString().slice(0, 10);
  const changed = differences(target, state, newest.state).map(
    ({ name, base, head }) => `${name} ${base ?? "none"}, now ${head ?? "none"}`,
  );
  context.progress.note(
    `${step}: other packages changed since it was built (${changed.join("; ")}); building it with today's, so that base and head have the same`,
  );
  return await buildEnvironment(context, { ...target, folder: `${folder}-${today}`, step: `${step}, today's` }, uv);
}

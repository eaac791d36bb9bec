/** The last defence of a run's results: a text that somebody else wrote must not keep the file from being written. */

import * as v from "valibot";
import { clip } from "../messages/clip.js";
import { type Results, resultsFile } from "./schema.js";

/** A text that is cut in a first round may stand in a list that is cut in a second one. */
const ROUNDS = 4;
/** What names something else: two that were cut could become the same. */
const NAMES: readonly unknown[] = ["id", "set", "name"];

type Path = readonly (string | number)[];

interface Excess {
  readonly path: Path;
  readonly most: number;
}

/**
 * The results with texts, and lists of texts, cut to what a results file may hold: an installer's log, an app's error, notes
 * of many requests. Other mistakes stay: they are defects. Valid results are given back as they are.
 */
export function withinLimits(results: Results): Results {
  let value = results;
  for (let round = 0; round < ROUNDS; round += 1) {
    const excesses = excessesOf(value);
    if (excesses.length === 0) return value;
    value = structuredClone(value);
    for (const { path, most } of excesses) replace(value, path, (found) => cut(found, most));
  }
  return value;
}

function excessesOf(results: Results): Excess[] {
  const { issues = [] } = v.safeParse(resultsFile, results, { abortPipeEarly: true });
  return issues.flatMap((issue) => {
    const path = (issue.path ?? []).map(({ key }) => key as string | number);
    const most = issue.type === "max_length" && "requirement" in issue ? issue.requirement : undefined;
    if (typeof most !== "number" || NAMES.includes(path.at(-1)) || !isText(issue.input)) return [];
    return [{ path, most }];
  });
}

function isText(value: unknown): value is string | string[] {
  return typeof value === "string" || (Array.isArray(value) && value.every((item) => typeof item === "string"));
}

function cut(value: unknown, most: number): unknown {
  if (typeof value === "string") return clip(value, most);
  if (!Array.isArray(value)) return value;
  const left = value.length - (most - 1);
  return [...value.slice(0, most - 1), `and ${left} more`];
}

function replace(value: unknown, path: Path, change: (found: unknown) => unknown): void {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== "object" || value === null) return;
  const holder = value as Record<string | number, unknown>;
  if (rest.length === 0) holder[key] = change(holder[key]);
  else replace(holder[key], rest, change);
}

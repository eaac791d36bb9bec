/** Comparison of a run with stored results. */

import { compareStored, type StoredOptions } from "../../compare/stored.js";
import { InputError } from "../../errors.js";
import { isWithin } from "../../is-within.js";
import { unknownName } from "../../plan/nearest.js";
import { rowsOf } from "../../plan/plan.js";
import { namesRow, splitSelectors } from "../../plan/select.js";
import { USUAL_METRICS } from "../../plan/selected-metrics.js";
import type { Comparison } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import type { StoredBase } from "./against.js";
import type { RunRequest } from "./request.js";

/** @throws InputError for a server that is not among the known ones; @param option as the user knows it */
export function checkServers(option: string, asked: readonly string[], known: readonly string[]): void {
  const wrong = asked.find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new InputError(`${option} ${wrong}: ${unknownName("server", wrong, [...new Set(known)])}`);
}

/** The servers for which the user named something to install are the ones under test. */
export function storedComparison(
  { runs, anchors, facts }: StoredBase,
  {
    selectors,
    servers,
    command,
    metrics = USUAL_METRICS,
    head: { plan, options: planned },
  }: Pick<RunRequest, "selectors" | "servers" | "command" | "metrics" | "head">,
): (head: Results) => Comparison {
  const asked = splitSelectors(selectors);
  // Apps of server-bench lie in its own folder.
  const own = rowsOf(plan).filter(({ server }) => !isWithin(planned.root, server.cwd));
  const ownIds = new Set(own.map(({ id }) => id));
  const options: StoredOptions = {
    anchors,
    tested: servers.map((spec) => spec.split("=")[0] ?? spec),
    inScope: (id) => namesRow(asked, id),
    isOwnApp: (id) => ownIds.has(id),
    selectedMetrics: metrics,
    command,
  };
  return (head) => {
    const comparison = compareStored(runs, head, options);
    return { ...comparison, base: { ...comparison.base, ...facts } };
  };
}

/** Whether results are a release's claim: its page in the folder of all releases, and its text on GitHub. */
import type { UncomparedRow } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { isAnythingMeasured } from "../run/exit-code.js";

/** Kinds of rows that were to be compared, and why they were not. */
const FAILURES: Partial<Readonly<Record<UncomparedRow["kind"], string>>> = {
  "failed-in-head": "rows failed in head",
  "failed-in-base": "rows failed in base",
  unmeasured: "rows were not measured in head",
  voided: "base's files changed",
};

/** Undefined where they are published. What failed as a whole is about the benchmarks, not about the release. */
export function whyNotPublished(results: Results): string | undefined {
  if (results.run.finishedAt === null) return "its run did not finish";
  if (!isAnythingMeasured(results)) return "nothing could be measured";
  const { rows = [], controls = [], notCompared = [] } = results.comparison ?? {};
  const same = notCompared.some(({ kind }) => kind === "cannot-have-changed");
  if (rows.length + controls.length > 0 || same) return undefined;
  const failures = [...new Set(notCompared.flatMap(({ kind }) => FAILURES[kind] ?? []))];
  if (failures.length === 0) return undefined;
  const remedy = notCompared.some(({ kind }) => kind === "failed-in-base") ? "; name another previous release" : "";
  return `no row was compared, because ${failures.join(", ")}${remedy}`;
}

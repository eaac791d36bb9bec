/** What head was compared with, in one line. */

import { plural } from "../../messages/sentence.js";
import type { Comparison } from "../../results/comparison.js";
import { runDate } from "../text/format.js";

/** Enough to distinguish commits. */
const SHA_DIGITS = 12;

/** The base: `base: 3 stored runs, newest Thu 30 Jan 2025, 02:28, commit 0f3c2a9d5b7e on main, AMD Ryzen (2 CPUs)`. */
export function baseLine({ mode, base, storedBase = {}, rows }: Comparison): string {
  if (mode === "mixed") {
    const stored = rows.filter((row) => row.mode === "artifact").length;
    const lines = [baseLine({ mode: "paired", base, rows }), baseLine({ mode: "artifact", base: storedBase, rows })];
    return lines.join(`; for ${plural(stored, "benchmark")}: `);
  }
  const { runs = "1", newest, sha, ref, folder, uncommitted, machine, fingerprint } = base;
  const facts = [
    mode === "paired" ? "measured in this run" : storedText(Number(runs)),
    newest === undefined ? undefined : `${runs === "1" ? "of" : "newest of"} ${runDate(newest)}`,
    folder === undefined ? undefined : `folder ${folder}`,
    sha === undefined ? undefined : `commit ${sha.slice(0, SHA_DIGITS)}${ref === undefined ? "" : ` on ${ref}`}`,
    uncommitted === undefined ? undefined : "with uncommitted changes",
    machine,
    fingerprint === undefined ? undefined : `fingerprint ${fingerprint}`,
  ];
  return facts.filter((fact) => fact !== undefined).join(", ");
}

function storedText(runs: number): string {
  return runs === 0 ? "no stored run that can be used" : plural(runs, "stored run");
}

/** The base of the pairs that confirmed suspect rows; undefined where none was confirmed. */
export function confirmedLine({ confirmedWith }: Comparison): string | undefined {
  if (confirmedWith === undefined) return undefined;
  const base = baseLine({ mode: "paired", base: confirmedWith, rows: [] });
  return `Benchmarks with a suspected change against the stored results were measured again in pairs with base (${base})`;
}

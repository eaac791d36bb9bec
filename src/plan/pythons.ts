/** Sets whose rows run under several Pythons: which ones, and in which order. */
import type { SetFile } from "./schema.js";
import type { PythonChoice } from "./types.js";

/** The knob that distinguishes such rows; `knob-columns` may name it. */
export const PYTHON_KNOB = "python";

/**
 * The Pythons of a set, oldest first; a build without the global lock comes after its version. One undefined for a set that
 * runs under the Python of the run.
 * @param found on the machine; without any, `all` is the Python of the run alone
 */
export function pythonsOf(
  asked: SetFile["pythons"],
  found: readonly PythonChoice[],
  own: string | undefined,
): readonly (PythonChoice | undefined)[] {
  if (asked === undefined) return [undefined];
  if (asked !== "all")
    return asked.map((label) => found.find((one) => one.label === label) ?? { label, request: label });
  if (found.length === 0) return [{ label: "3", ...(own === undefined ? {} : { request: own }) }];
  return [...found].sort(byVersion);
}

function byVersion(a: PythonChoice, b: PythonChoice): number {
  return rank(a) - rank(b) || a.label.localeCompare(b.label);
}

/** `3.9` before `3.13` before `3.13t`; another implementation, or what is no version, after all of them. */
function rank({ label }: PythonChoice): number {
  const [, minor, patch = "0", free] = /^3\.(\d+)(?:\.(\d+))?(t?)$/.exec(label) ?? [];
  return minor === undefined ? Number.POSITIVE_INFINITY : Number(minor) * 1000 + Number(patch) + (free ? 0.5 : 0);
}

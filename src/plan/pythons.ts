/** Sets whose rows run under several Pythons: which ones, and in which order. */
import type { SetFile } from "./schema.js";
import type { PythonChoice } from "./types.js";

/** The knob by which such rows are told apart, and which `knob-columns` may name. */
export const PYTHON_KNOB = "python";

/**
 * The Pythons of a set, oldest first, the build without the global lock after its version; one undefined for a set that runs
 * under the run's own Python.
 * @param found of the machine; without any, `all` is the run's own Python alone
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

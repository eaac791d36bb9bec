/** The stacks of both sides as one tree, for a differential flame graph. */

import type { SampledStacks } from "./profile.js";
import { isBeyondError, type SampledSides, type TimeDifference, timeDifference } from "./profile-difference.js";
import { type ProfileFunction, shownFrame } from "./profile-functions.js";
import { type Frame, isInterpreter, isPython, isSystem, type Stack } from "./profile-stacks.js";

/** A function as it was called from the functions above it. */
export interface ProfileNode extends TimeDifference {
  readonly of: ProfileFunction;
  /** The difference is beyond its error. */
  readonly differs: boolean;
  /** In the order of their names, so that the same call is at the same place in every graph. */
  readonly children: readonly ProfileNode[];
}

export interface ProfileTree {
  /** All samples. */
  readonly root: ProfileNode;
  /** Calls that all samples have in common, the outermost first: they are above the root, and not drawn. */
  readonly common: readonly ProfileFunction[];
}

/** Calls with a smaller share of both sides' time are left out: they could not be seen. */
const SHARE_MIN = 0.004;
/** A call with this share of all samples is one that all have in common, but for the start of the server. */
const COMMON_SHARE = 0.995;
/** Calls of a stack that are kept: a recursion can be thousands deep. */
const DEPTH_MAX = 200;

interface Counts {
  readonly of: ProfileFunction;
  base: number;
  head: number;
  readonly children: Map<string, Counts>;
}

export function profileTree(sides: SampledSides, stacks: SampledStacks): ProfileTree {
  const root = counts({ name: "all", file: "" });
  for (const side of ["base", "head"] as const) for (const stack of stacks[side]) add(root, stack, side);
  const { top, common } = withoutTrunk(root);
  const share = ({ base, head }: Counts): number =>
    (base / Math.max(1, sides.base.samples) + head / Math.max(1, sides.head.samples)) / 2;
  const drawn = (of: Counts): Counts[] => [...of.children.values()].filter((child) => share(child) >= SHARE_MIN);
  const size = (of: Counts): number => drawn(of).reduce((sum, child) => sum + size(child), 1);
  const tested = size(top);
  const node = (of: Counts): ProfileNode => {
    const difference = timeDifference(sides, of, tested);
    const children = drawn(of).toSorted((a, b) => (nameOf(a.of) < nameOf(b.of) ? -1 : 1));
    return { of: of.of, ...difference, differs: isBeyondError(difference), children: children.map(node) };
  };
  return { root: node(top), common };
}

function counts(of: ProfileFunction): Counts {
  return { of, base: 0, head: 0, children: new Map() };
}

function add(root: Counts, { frames, samples }: Stack, side: "base" | "head"): void {
  let at = root;
  at[side] += samples;
  for (const of of drawnFrames(frames).slice(0, DEPTH_MAX)) {
    const key = nameOf(of);
    const child = at.children.get(key) ?? counts(of);
    at.children.set(key, child);
    child[side] += samples;
    at = child;
  }
}

function nameOf({ name, file }: ProfileFunction): string {
  return JSON.stringify([file, name]);
}

/** Without Python's own machinery, but for a call into the system at the end; calls within a library without symbols are one. */
function drawnFrames(frames: readonly Frame[]): ProfileFunction[] {
  const drawn: ProfileFunction[] = [];
  for (const [i, frame] of frames.entries()) {
    const isCall = isSystem(frame) && i === frames.length - 1 && !frame.name.startsWith("0x");
    if (!isPython(frame) && !isCall && (isInterpreter(frame) || isSystem(frame))) continue;
    const shown = shownFrame(frame);
    const last = drawn.at(-1);
    if (shown.name === "" && last?.name === "" && last.file === shown.file) continue;
    drawn.push(shown);
  }
  return drawn;
}

function withoutTrunk(root: Counts): { readonly top: Counts; readonly common: readonly ProfileFunction[] } {
  const common: ProfileFunction[] = [];
  let top = root;
  for (;;) {
    const child = [...top.children.values()].find(
      ({ base, head }) => base >= COMMON_SHARE * root.base && head >= COMMON_SHARE * root.head,
    );
    if (!child || child.children.size === 0) return { top, common };
    common.push(child.of);
    top = child;
  }
}

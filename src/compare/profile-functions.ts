/** Which function a sample's time belongs to. */
import { type Frame, isInterpreter, isPython, isSystem, type Stack } from "./profile-stacks.js";

/** A function or, of libraries without symbols, the library. */
export interface ProfileFunction {
  /** "" of a library without symbols. */
  readonly name: string;
  readonly file: string;
  readonly line?: number;
}

/** Folders of a C source that are shown: those of its build mean nothing to a reader. */
const SOURCE_PARTS = 2;

/** A frame as it is shown: an address names no function, and the name of a library no platform. */
export function shownFrame(frame: Frame): ProfileFunction {
  if (isPython(frame)) return frame;
  const name = /^0x[0-9a-f]+$/i.test(frame.name) ? "" : frame.name;
  if (/\.so(\.[\d.]+)?$/.test(frame.file) || frame.line === undefined) return { name, file: libraryName(frame.file) };
  return { name, file: frame.file.split("/").slice(-SOURCE_PARTS).join("/"), line: frame.line };
}

/** `granian/_granian.cpython-311-x86_64-linux-gnu.so` -> `granian/_granian.so`; `/usr/lib/.../libc.so.6` -> `libc.so.6` */
function libraryName(file: string): string {
  const plain = file.replace(/\.(cpython-\d+t?|abi3|pypy\d+)[^/]*\.so$/, ".so");
  return plain.startsWith("/") ? plain.slice(plain.lastIndexOf("/") + 1) : plain;
}

/**
 * The innermost function that is not Python's own machinery: what the interpreter, its extension modules and the C library
 * do for a function is time of that function. Python's standard library is code like any other.
 */
export function ownerOf({ frames }: Stack): ProfileFunction {
  const owner = frames.findLast((frame) => isPython(frame) || !(isInterpreter(frame) || isSystem(frame)));
  if (owner) return shownFrame(owner);
  return { name: "", file: "Python's interpreter" };
}

interface CountedFunction extends ProfileFunction {
  readonly baseSamples: number;
  readonly headSamples: number;
}

/** The functions of both sides, those of the same file and name together. Lines move when code above them changes. */
export function countFunctions(base: readonly Stack[], head: readonly Stack[]): CountedFunction[] {
  const sides = { base: countSide(base), head: countSide(head) };
  const keys = new Set([...sides.base.keys(), ...sides.head.keys()]);
  return [...keys].flatMap((key) => matched(sides.base.get(key) ?? [], sides.head.get(key) ?? []));
}

interface Counted {
  readonly of: ProfileFunction;
  samples: number;
}

/** File and name -> the functions of that name, by line. */
function countSide(stacks: readonly Stack[]): Map<string, Counted[]> {
  const functions = new Map<string, Counted[]>();
  for (const stack of stacks) {
    const of = ownerOf(stack);
    const key = JSON.stringify([of.file, of.name]);
    const same = functions.get(key) ?? [];
    // A C function has a line for each place in it that was sampled; a Python function its first one.
    const known = isPython(of) ? same.find((one) => one.of.line === of.line) : same[0];
    if (known) known.samples += stack.samples;
    else functions.set(key, [...same, { of, samples: stack.samples }]);
  }
  return functions;
}

/** Functions of one name in one file, such as two lambdas: matched by their order where both sides have as many, else added up. */
function matched(base: readonly Counted[], head: readonly Counted[]): CountedFunction[] {
  const inOrder = (side: readonly Counted[]) => side.toSorted((a, b) => (a.of.line ?? 0) - (b.of.line ?? 0));
  const sum = (side: readonly Counted[]) => side.reduce((total, { samples }) => total + samples, 0);
  if (base.length !== head.length) {
    const [of] = inOrder(head).concat(inOrder(base));
    return of ? [{ ...of.of, baseSamples: sum(base), headSamples: sum(head) }] : [];
  }
  const others = inOrder(base);
  return inOrder(head).map(({ of, samples }, i) => ({
    ...of,
    headSamples: samples,
    baseSamples: others[i]?.samples ?? 0,
  }));
}

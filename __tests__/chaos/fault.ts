/** One way to break a run, and what is right afterwards. */
import type { Random } from "./random.js";
import type { Kind, Start, Tool, World } from "./world.js";

export interface Fault {
  readonly name: string;
  readonly kinds: readonly Kind[];
  /** What the fault needs of the machine. Where it is not there, the fault is left out. */
  readonly needs?: { readonly what: string; isHere(): boolean };
  /** Before the tool starts. */
  prepare?(world: World, random: Random): Start;
  /** At a random moment while the tool runs. @returns false where there was nothing to strike */
  strike?(world: World, tool: Tool, random: Random): unknown;
  /** Removes what `prepare` put there, also where `prepare` failed half way. */
  repair?(world: World): void;
  /** Exit codes that are right; null: killed by a signal. */
  readonly codes: readonly (number | null)[];
  /** What the output says where the code is not 0. */
  readonly says?: RegExp;
  /** Nothing is cleaned up before the next start: the process that does so was killed too. */
  readonly leaves?: "until-next-start";
  /** The comment may stay as it is: the process that writes it was killed, or GitHub took nothing more. */
  readonly commentStays?: true;
  /** Seconds within which the tool has to end. */
  readonly withinSec?: number;
}

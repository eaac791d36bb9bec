/** What a trial breaks. */

import type { Fault } from "./fault.js";
import { GITHUB_FAULTS } from "./faults/github.js";
import { MACHINE_FAULTS } from "./faults/machine.js";
import { SIGNAL_FAULTS } from "./faults/signals.js";
import { TOOL_FAULTS } from "./faults/tools.js";

const ALL: readonly Fault[] = [...SIGNAL_FAULTS, ...MACHINE_FAULTS, ...TOOL_FAULTS, ...GITHUB_FAULTS];

/** Those that this machine can have. */
export const FAULTS: readonly Fault[] = ALL.filter(({ needs }) => needs?.isHere() ?? true);

/** `few processes: needs root and control groups of version 1` */
export const LEFT_OUT: readonly string[] = ALL.filter((fault) => !FAULTS.includes(fault)).map(
  ({ name, needs }) => `${name}: needs ${needs?.what}`,
);

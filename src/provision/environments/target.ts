/** An environment before it is built. */
import type { EnvironmentSpec } from "../../plan/types.js";
import type { Python } from "./python.js";

/** An environment that is to be: what it holds, and where. */
export interface EnvironmentTarget {
  readonly spec: EnvironmentSpec;
  readonly python: Python;
  readonly folder: string;
  /** What the progress calls it. */
  readonly step: string;
}

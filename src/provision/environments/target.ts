/** An environment before it is built. */
import type { EnvironmentSpec } from "../../plan/types.js";
import type { Python } from "./python.js";

/** Folders and files of this machine that something is built from. */
interface LocalSources {
  readonly server: readonly string[];
  readonly app: readonly string[];
}

/** An environment that is to be: what it holds, and where. */
export interface EnvironmentTarget {
  readonly spec: EnvironmentSpec;
  readonly python: Python;
  readonly folder: string;
  /** Something is installed editable, as the app asks: the environment then holds the path of a checkout. */
  readonly editable: boolean;
  readonly sources: LocalSources;
  /** What the progress calls it. */
  readonly step: string;
}

/** What the programs beside one side of a row are started with. */
import type { RunContext } from "../../process/run.js";

export interface SideContext {
  readonly run: RunContext;
  /** Where the allow-listed variables of children come from. */
  readonly env: NodeJS.ProcessEnv;
  /** Variables beside those. */
  readonly variables: Readonly<Record<string, string>>;
  /** Folder of this side and row alone; it is removed after the row. */
  readonly dataDir: string;
  /** CPU lists as taskset takes them. */
  readonly serviceCpus: string;
  readonly serverCpus: string;
}

/** The load generators that rows need. One that is missing fails the rows that need it, and no other. */
import { SetupError } from "../../errors.js";
import type { GeneratorName, PlannedRow } from "../../plan/types.js";
import type { ProvisionContext } from "../context.js";
import type { GeneratorState, Tool } from "../types.js";
import { provideGhz } from "./ghz.js";
import { provideOha } from "./oha.js";
import { provideWebsocketClient } from "./websocket.js";
import { provideWrk } from "./wrk.js";

/** Adding a generator: its name in plan/schema.ts, its maker in measure/generators/registry.ts, and where it comes from here. */
const PROVIDERS: Readonly<Record<GeneratorName, (context: ProvisionContext) => Promise<Tool>>> = {
  oha: (context) => provideOha(context),
  wrk: provideWrk,
  ghz: provideGhz,
  websocket: provideWebsocketClient,
};

/**
 * Installs them one after the other.
 * @throws SetupError of the first that failed, where no row is left that could be measured; the reason of the run's
 * signal
 */
export async function provideGenerators(
  context: ProvisionContext,
  rows: readonly PlannedRow[],
): Promise<Map<string, GeneratorState>> {
  const states = new Map<string, GeneratorState>();
  let first: SetupError | undefined;
  for (const name of new Set(rows.map((row) => row.generator))) {
    try {
      states.set(name, { state: "ready", tool: await PROVIDERS[name](context) });
    } catch (error) {
      context.run.signal.throwIfAborted();
      if (!(error instanceof SetupError)) throw error;
      first ??= error;
      states.set(name, { state: "failed", reason: error.message, log: error.log });
    }
  }
  if (first !== undefined && rows.every((row) => states.get(row.generator)?.state === "failed")) throw first;
  return states;
}

/** The programs that are there, by name. */
export function readyTools(states: ReadonlyMap<string, GeneratorState>): Map<string, Tool> {
  return new Map([...states].flatMap(([name, state]) => (state.state === "ready" ? [[name, state.tool]] : [])));
}

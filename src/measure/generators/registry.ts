/** All load generators, by name. */
import type { GeneratorName } from "../../plan/types.js";
import type { Generator, GeneratorSetup } from "./contract.js";
import { createGhz } from "./ghz.js";
import { createOha } from "./oha.js";
import { createWebsocket } from "./websocket.js";
import { createWrk } from "./wrk.js";

/** Adding a generator: its name in plan/schema.ts, and its maker here. */
export const GENERATOR_MAKERS: Readonly<Record<GeneratorName, (setup: GeneratorSetup) => Generator>> = {
  ghz: createGhz,
  oha: createOha,
  websocket: createWebsocket,
  wrk: createWrk,
};

/** The start of a server: the time to its first right answer, and its memory after that. */
import { median } from "../../compare/median.js";
import type { PlannedRow, Profile } from "../../plan/types.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import type { Summary } from "../../results/schema.js";
import { sampleMemory } from "../memory/sample.js";
import type { Exchange } from "../server/exchange.js";
import { type NotReady, type StartContext, type Started, startAgainIfTaken } from "../server/start.js";

type Start = NonNullable<Summary["startup"]>;

/** Starts of which the median is shown, the one that is loaded afterwards included. */
const STARTS = 5;

/** The memory is the present one. */
export function startOf({ server, readySec }: Pick<Started, "server" | "readySec">): Start {
  return { seconds: readySec, memoryMiB: sampleMemory(server.processes()).mib };
}

/** Starts and ends the server, as often as row and profile ask. After the first start its files are in the page cache. */
export async function startsBefore(
  row: PlannedRow,
  ready: ReadyEnvironment,
  exchange: Exchange,
  context: StartContext & { readonly profile: Profile },
): Promise<{ readonly state: "started"; readonly starts: readonly Start[] } | NotReady> {
  const count = row.startup && context.profile.name !== "quick" ? STARTS - 1 : 0;
  const starts: Start[] = [];
  while (starts.length < count) {
    const started = await startAgainIfTaken(row, ready, exchange, context);
    if (started.state === "failed") return started;
    await using server = started.server;
    starts.push(startOf({ server, readySec: started.readySec }));
  }
  return { state: "started", starts };
}

/** At least one start. */
export function medianStart(starts: readonly Start[]): Start {
  return {
    seconds: median(starts.map(({ seconds }) => seconds)),
    memoryMiB: median(starts.map(({ memoryMiB }) => memoryMiB)),
  };
}

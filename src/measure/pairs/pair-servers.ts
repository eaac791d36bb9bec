/** The two servers of a pair: their processes are made in turn, their boots overlap, and both end with the pair. */
import type { PlannedRow, Side } from "../../plan/types.js";
import type { ServerProcess } from "../../process/group.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import type { PairSlice } from "../../results/comparison.js";
import type { Generator } from "../generators/contract.js";
import { type HeldIdle, holdIdle } from "../idle-memory.js";
import { type MeasureContext, makeGenerator } from "../row.js";
import type { Certificate } from "../server/certificate-files.js";
import { type Exchange, makeExchange, writeBody } from "../server/exchange.js";
import type { LearnedAnswers } from "../server/learned.js";
import { startAgainIfTaken } from "../server/start.js";
import { startOf } from "../startup/starts.js";
import { chanceEnvironment, type PairChance } from "./chance.js";
import { type Failure, failure, type Step } from "./schedule.js";

interface PairSide {
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}
export type PairSides = Readonly<Record<Side, PairSide>>;
export type ServersContext = Pick<MeasureContext, "run" | "cpus" | "generators" | "filesDir" | "env"> & {
  /** What each side answered in the row's earlier pairs; this pair adds to it. */
  readonly learned?: Readonly<Record<Side, LearnedAnswers>>;
};

export interface Running {
  readonly server: ServerProcess;
  readonly port: number;
  readonly generator: Generator;
  readonly exchange: Exchange;
  readonly bodyFile: string | undefined;
  readonly certificate: Certificate | undefined;
  readonly socket: string | undefined;
  readonly readySec: number;
  readonly idle?: HeldIdle;
  /** Where the row's start is measured. */
  readonly start?: PairSlice["start"];
}

export class PairServers {
  readonly #sides: PairSides;
  readonly #chance: PairChance;
  readonly #context: ServersContext;
  /** The servers of the pair before this one. */
  readonly #before: Promise<unknown>;
  readonly #running = new Map<Side, Running>();

  constructor(sides: PairSides, chance: PairChance, context: ServersContext, before: Promise<unknown>) {
    this.#sides = sides;
    this.#chance = chance;
    this.#context = context;
    this.#before = before;
  }

  async start(order: readonly [Side, Side]): Promise<Step<undefined>> {
    const starts: Promise<Failure | undefined>[] = [];
    // Two starts at once would slow each other.
    const alone = this.#sides.head.row.startup === true;
    if (alone) await this.#before;
    for (const side of order) {
      await new Promise<void>((resolve) => {
        const start = this.#startSide(side, alone ? () => {} : resolve);
        start.then(
          () => resolve(),
          () => resolve(),
        );
        starts.push(start);
      });
    }
    const started = await Promise.allSettled(starts);
    await this.#before;
    for (const one of started) if (one.status === "rejected") throw one.reason;
    const failed = started.flatMap((one) => (one.status === "fulfilled" && one.value ? [one.value] : []));
    const unready = ofBaseFirst(failed);
    if (unready) return unready;
    this.#readStarts();
    return (await this.#holdIdle(order)) ?? ({ state: "done", value: undefined } as const);
  }

  /** Memory of both at one time: pages that both servers have in common count for half in each. */
  #readStarts(): void {
    for (const [side, running] of [...this.#running])
      if (this.#sides[side].row.startup) this.#running.set(side, { ...running, start: startOf(running) });
  }

  /** The idle connections of both sides are made at the same time. */
  async #holdIdle(order: readonly [Side, Side]): Promise<Failure | undefined> {
    const { signal } = this.#context.run;
    const held = await Promise.allSettled(
      order.map(async (side): Promise<Failure | undefined> => {
        const running = this.of(side);
        const idle = await holdIdle(running.server, { row: this.#sides[side].row, port: running.port, signal });
        if (idle.state === "failed") return failure(side, idle.reason, running.server.logTail());
        this.#running.set(side, { ...running, idle });
        return undefined;
      }),
    );
    for (const one of held) if (one.status === "rejected") throw one.reason;
    return ofBaseFirst(held.flatMap((one) => (one.status === "fulfilled" && one.value ? [one.value] : [])));
  }

  /** @param onSpawned called once the process exists; the other side's process is made after that */
  async #startSide(side: Side, onSpawned: () => void): Promise<Failure | undefined> {
    const { row, ready } = this.#sides[side];
    const { run, filesDir } = this.#context;
    const context = { ...this.#context, onSpawned, extraEnv: chanceEnvironment(this.#chance, side) };
    let exchange: Exchange;
    try {
      exchange = await makeExchange(row, filesDir, this.#context.learned?.[side]);
    } catch (error) {
      return failure(side, error instanceof Error ? error.message : String(error), "");
    }
    const started = await startAgainIfTaken(row, ready, exchange, context);
    if (started.state === "failed") return failure(side, started.reason, started.log);
    // From here on this object owns the server and stops it, whatever fails below.
    const { server, port, certificate, socket, readySec } = started;
    const generator = makeGenerator(row, ready, this.#context);
    const running = { server, port, generator, exchange, certificate, socket, readySec, bodyFile: undefined };
    this.#running.set(side, running);
    this.#running.set(side, { ...running, bodyFile: await writeBody(exchange, run.tempDir) });
    return undefined;
  }

  /** @throws Error for a side that was not started */
  of(side: Side): Running {
    const running = this.#running.get(side);
    if (!running) throw new Error(`the ${side} server was not started`);
    return running;
  }

  all(): Running[] {
    return [...this.#running.values()];
  }

  /** Ends both servers. */
  async end(): Promise<void> {
    for (const { idle } of this.#running.values()) idle?.[Symbol.dispose]();
    await Promise.all([...this.#running.values()].map(({ server }) => server[Symbol.asyncDispose]()));
  }
}

/** Where both sides fail, base's failure is reported, whichever was started first. */
function ofBaseFirst(failed: readonly Failure[]): Failure | undefined {
  return failed.find(({ side }) => side === "base") ?? failed[0];
}

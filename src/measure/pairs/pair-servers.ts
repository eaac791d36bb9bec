/** The two servers of a pair: their processes are made in turn, they boot at the same time, and both end with the pair. */
import { allEnded } from "../../all-ended.js";
import { messageOf } from "../../errors.js";
import type { PlannedRow, Side } from "../../plan/types.js";
import { describeExit, type ServerProcess } from "../../process/group.js";
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
import { bootCpus } from "./boot-cpus.js";
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

/** What a pair has of those before it. */
export interface Series {
  /** Their servers end. */
  readonly ending: Promise<unknown>;
  /** Rows and sides whose servers could not be moved to other CPUs. */
  readonly unmovable: Set<string>;
}

const keyOf = ({ id }: PlannedRow, side: Side) => `${side} ${id}`;

export class PairServers {
  readonly #sides: PairSides;
  readonly #chance: PairChance;
  readonly #context: ServersContext;
  readonly #series: Series;
  readonly #running = new Map<Side, Running>();

  constructor(sides: PairSides, chance: PairChance, context: ServersContext, series: Series) {
    this.#sides = sides;
    this.#chance = chance;
    this.#context = context;
    this.#series = series;
  }

  async start(order: readonly [Side, Side]): Promise<Step<undefined>> {
    const starts: Promise<Failure | undefined>[] = [];
    // Two starts at once would slow each other.
    const alone = this.#sides.head.row.startup === true;
    if (alone) await this.#series.ending;
    const [, second] = order;
    const staysPut = alone || this.#series.unmovable.has(keyOf(this.#sides[second].row, second));
    const boot = staysPut ? undefined : bootCpus(this.#context.cpus);
    for (const side of order) {
      await new Promise<void>((resolve) => {
        const start = this.#startSide(side, alone ? () => {} : resolve, side === second ? boot : undefined);
        start.then(
          () => resolve(),
          () => resolve(),
        );
        starts.push(start);
      });
    }
    const [, ...started] = await allEnded([this.#series.ending, ...starts]);
    const unready = ofBaseFirst(started);
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
    const held = order.map(async (side): Promise<Failure | undefined> => {
      const running = this.of(side);
      const idle = await holdIdle(running.server, { row: this.#sides[side].row, port: running.port, signal });
      if (idle.state === "failed") return failure(side, idle.reason, running.server.logTail());
      this.#running.set(side, { ...running, idle });
      return undefined;
    });
    return ofBaseFirst(await allEnded(held));
  }

  /**
   * @param onSpawned called once the process exists; the other side's process is made after that
   * @param boot CPUs that it boots on; undefined: those that it stays on
   */
  async #startSide(side: Side, onSpawned: () => void, boot?: readonly number[]): Promise<Failure | undefined> {
    const { row, ready } = this.#sides[side];
    const { run, filesDir, cpus } = this.#context;
    const { stackBytes } = this.#chance;
    const usual = { ...this.#context, onSpawned, extraEnv: chanceEnvironment(this.#chance), stackBytes };
    const context = boot === undefined ? usual : { ...usual, cpus: { ...cpus, server: boot } };
    let exchange: Exchange;
    try {
      exchange = await makeExchange(row, filesDir, this.#context.learned?.[side]);
    } catch (error) {
      return failure(side, messageOf(error), "");
    }
    const started = await startAgainIfTaken(row, ready, exchange, context);
    if (started.state === "failed") return failure(side, started.reason, started.log);
    // From here on this object owns the server and stops it, whatever fails below.
    const { server, port, certificate, socket, readySec } = started;
    const generator = makeGenerator(row, ready, this.#context);
    const running = { server, port, generator, exchange, certificate, socket, readySec, bodyFile: undefined };
    this.#running.set(side, running);
    this.#running.set(side, { ...running, bodyFile: await writeBody(exchange, run.tempDir) });
    if (boot === undefined || (await server.move(cpus.server))) return undefined;
    if (server.exit) return failure(side, `the server ended (${describeExit(server.exit)})`, server.logTail());
    // What cannot be moved boots where it stays, in later pairs too.
    this.#series.unmovable.add(keyOf(row, side));
    await server[Symbol.asyncDispose]();
    this.#running.delete(side);
    return await this.#startSide(side, onSpawned);
  }

  /** @throws Error for a side that was not started */
  of(side: Side): Running {
    const running = this.#running.get(side);
    if (!running) throw new Error(`the ${side} server was not started`);
    return running;
  }

  /** Whether both have the same addresses in memory. */
  get sameAddresses(): boolean {
    return this.all().every(({ server }) => server.fixedAddresses);
  }

  all(): Running[] {
    return [...this.#running.values()];
  }

  /** Ends both servers. */
  async end(): Promise<void> {
    for (const { idle } of this.#running.values()) idle?.[Symbol.dispose]();
    await allEnded([...this.#running.values()].map(({ server }) => server[Symbol.asyncDispose]()));
  }
}

/** Where both sides fail, base's failure is reported, whichever was started first. */
function ofBaseFirst(outcomes: readonly (Failure | undefined)[]): Failure | undefined {
  const failed = outcomes.filter((one) => one !== undefined);
  return failed.find(({ side }) => side === "base") ?? failed[0];
}

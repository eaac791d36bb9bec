/** Prepares both sides of each row before its first pair, and keeps what was started until the row has ended. */
import type { Side } from "../../plan/types.js";
import type { MeasurePair, PairContext } from "../pairs/pair.js";
import type { PairSides } from "../pairs/pair-servers.js";
import { bothSides } from "../pairs/schedule.js";
import { explainedReason } from "./app-check.js";
import { besideServices, type PreparationContext, type Prepared, preparedRow, prepareSide } from "./prepare.js";
import { endedServiceOf } from "./prepared-sides.js";
import type { PreparationFailure } from "./service.js";

interface PreparedPair {
  readonly id: string;
  readonly connections: number;
  readonly base: Prepared;
  readonly head: Prepared;
}

export class PairPreparations implements AsyncDisposable {
  readonly #measurePair: MeasurePair;
  readonly #pairs: PreparedPair[] = [];
  readonly #released = new Set<PreparedPair>();

  constructor(measure: MeasurePair) {
    this.#measurePair = measure;
  }

  /** Measures a pair of a prepared row. A preparation that fails is a failure of its side. */
  readonly measure: MeasurePair = async (sides, chance, context) => {
    await this.#endReleased();
    if (sides.base.row.preparation === undefined && sides.head.row.preparation === undefined)
      return await this.#measureExplained(sides, chance, context);
    const prepared =
      this.#find(sides.head.row.id, context.connections) ?? (await this.#prepare(sides, chance.first, context));
    if ("state" in prepared) return prepared;
    const withVariables: PairSides = {
      base: { ...sides.base, row: preparedRow(sides.base.row, prepared.base) },
      head: { ...sides.head, row: preparedRow(sides.head.row, prepared.head) },
    };
    const cpus = besideServices(context.cpus, [prepared.base, prepared.head]);
    const measured = await this.#measureExplained(withVariables, chance, { ...context, cpus });
    const ended = endedServiceOf(prepared);
    const outcome = ended ? { ...ended, slices: measured.slices } : measured;
    if (outcome.state === "failed") this.#released.add(prepared);
    return outcome;
  };

  /** The row gets no further pair. */
  release(id: string, connections: number | undefined): void {
    for (const pair of this.#pairs) if (pair.id === id && pair.connections === connections) this.#released.add(pair);
  }

  /** What fails before the first slice may lie in the app. */
  readonly #measureExplained: MeasurePair = async (sides, chance, context) => {
    const outcome = await this.#measurePair(sides, chance, context);
    if (outcome.state !== "failed" || outcome.slices.length > 0) return outcome;
    const { row, ready } = sides[outcome.side];
    return { ...outcome, reason: await explainedReason(outcome.reason, row, ready, context) };
  };

  #find(id: string, connections: number): PreparedPair | undefined {
    return this.#pairs.find((pair) => pair.id === id && pair.connections === connections);
  }

  /** A failure of base is reported before one of head, whichever was prepared first: head alone would look broken. */
  async #prepare(sides: PairSides, first: Side, context: PairContext) {
    context.onPhase("preparing");
    const own: PreparationContext = context;
    const ready = new Map<Side, Prepared>();
    let failed: (PreparationFailure & { readonly side: Side }) | undefined;
    let kept = false;
    try {
      for (const side of bothSides(first)) {
        const one = await prepareSide(sides[side].row, side, sides[side].ready, own);
        if (one.state === "prepared") ready.set(side, one);
        else failed = { ...one, side };
        if (failed?.side === "base") break;
      }
      if (failed) return { ...failed, slices: [] } as const;
      const [base, head] = [ready.get("base"), ready.get("head")];
      if (!base || !head) throw new Error("a side was not prepared");
      const pair: PreparedPair = { id: sides.head.row.id, connections: context.connections, base, head };
      this.#pairs.push(pair);
      kept = true;
      return pair;
    } finally {
      if (!kept) for (const one of ready.values()) await one[Symbol.asyncDispose]();
    }
  }

  async #endReleased(): Promise<void> {
    for (const pair of this.#released) {
      this.#released.delete(pair);
      this.#pairs.splice(this.#pairs.indexOf(pair), 1);
      await pair.head[Symbol.asyncDispose]();
      await pair.base[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of this.#pairs) this.#released.add(pair);
    await this.#endReleased();
  }
}

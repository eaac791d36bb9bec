/** Counts the instructions of recorded rows, as a run counts those of its rows. */
import { type FurtherKind, measureRounds } from "../../src/commands/run/further-rounds.js";
import { FurtherSubject } from "../../src/measure/further-subject.js";
import type { PairContext } from "../../src/measure/pairs/pair.js";
import type { PairSides } from "../../src/measure/pairs/pair-servers.js";
import type { Counts } from "../recording/recording.js";

const KIND: FurtherKind = "instructions";

/** The counts of one row, round by round. */
export class CountedRow {
  readonly #subject: FurtherSubject;
  readonly #context: PairContext;

  constructor(sides: PairSides, context: PairContext) {
    this.#subject = new FurtherSubject(sides, context.connections);
    this.#context = context;
  }

  /** One more round. @throws when a side cannot be counted */
  async count(): Promise<void> {
    const subject = this.#subject;
    const wanted = subject.rounds.length + 1;
    const open = () => (subject.rounds.length < wanted ? [subject] : []);
    const rounds = { kind: KIND, subjects: [subject], open, limitSec: undefined, between: async () => {} };
    await measureRounds(rounds, {
      context: this.#context,
      now: () => performance.now() / 1000,
      line: () => {},
      countsAreExtra: false,
      onRound: () => {},
    });
    const problem = subject.problems[KIND];
    if (problem) throw new Error(`${subject.sides.head.row.title}: ${problem.reason}`);
  }

  /** So far. */
  counts(): Counts | undefined {
    const { instructions } = this.#subject.furtherMetrics();
    return instructions?.state === "measured" ? instructions : undefined;
  }
}

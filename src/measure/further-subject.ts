/** A row whose further metrics are measured: what it is started from, and what was measured so far. */
import type { PlannedRow } from "../plan/types.js";
import type { ReadyEnvironment } from "../provision/types.js";
import type { ExpectedAnswer } from "../results/answers.js";
import type { FurtherMetrics, FurtherProblem, InstructionRound, MemoryPair } from "../results/further-metrics.js";
import type { WindowSize } from "./instructions/count-process.js";
import type { ChunkSize } from "./memory/memory-pair.js";

interface SubjectSide {
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}

export class FurtherSubject {
  /** Without base, head is measured alone. */
  readonly sides: { readonly base?: SubjectSide; readonly head: SubjectSide };
  readonly connections: number;
  readonly windowSize: WindowSize = { requests: undefined };
  readonly chunkSize: ChunkSize = { requests: undefined };
  readonly rounds: InstructionRound[] = [];
  readonly pairs: MemoryPair[] = [];
  /** Why there are no further figures. */
  readonly problems: { instructions?: FurtherProblem; memory?: FurtherProblem } = {};
  /** What each side's answers were checked for, in the last round. */
  readonly answers: { base?: readonly ExpectedAnswer[]; head?: readonly ExpectedAnswer[] } = {};
  /** Of Valgrind. */
  version = "";
  countedConnections = 0;

  constructor(sides: FurtherSubject["sides"], connections: number) {
    this.sides = sides;
    this.connections = connections;
  }

  /** As the results file has it, without what was not begun. */
  furtherMetrics(): FurtherMetrics {
    const [instructions, memory] = [this.#instructions(), this.#memory()];
    return { ...(instructions && { instructions }), ...(memory && { memory }) };
  }

  /** A side ended or gave wrong answers while it was counted or sampled. */
  hasFailed(): boolean {
    return Object.values(this.problems).some(({ failedIn }) => failedIn !== undefined);
  }

  #instructions(): FurtherMetrics["instructions"] {
    const { requests } = this.windowSize;
    const stopped = this.problems.instructions;
    if (this.rounds.length === 0 || requests === undefined) return stopped && { state: "not-measured", ...stopped };
    const { version, countedConnections: connections } = this;
    return {
      state: "measured",
      source: "callgrind",
      version,
      connections,
      requests,
      rounds: [...this.rounds],
      ...(stopped && { stopped }),
    };
  }

  #memory(): FurtherMetrics["memory"] {
    const { requests } = this.chunkSize;
    const stopped = this.problems.memory;
    if (this.pairs.length === 0 || requests === undefined) return stopped && { state: "not-measured", ...stopped };
    const { connections, pairs } = this;
    return { state: "measured", connections, requests, pairs: [...pairs], ...(stopped && { stopped }) };
  }
}

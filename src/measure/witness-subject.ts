/** A row whose witnesses are measured: what it is started from, and what was measured so far. */
import type { PlannedRow } from "../plan/types.js";
import type { ReadyEnvironment } from "../provision/types.js";
import type { InstructionRound, MemoryPair, Witnesses } from "../results/witnesses.js";
import type { WindowSize } from "./instructions/count-process.js";
import type { ChunkSize } from "./memory/memory-pair.js";

interface SubjectSide {
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}

export class WitnessSubject {
  /** Without base, head is measured alone. */
  readonly sides: { readonly base?: SubjectSide; readonly head: SubjectSide };
  readonly connections: number;
  readonly windowSize: WindowSize = { requests: undefined };
  readonly chunkSize: ChunkSize = { requests: undefined };
  readonly rounds: InstructionRound[] = [];
  readonly pairs: MemoryPair[] = [];
  /** Why there are no figures. */
  readonly problems: { instructions?: string; memory?: string } = {};
  /** Of Valgrind. */
  version = "";
  countedConnections = 0;

  constructor(sides: WitnessSubject["sides"], connections: number) {
    this.sides = sides;
    this.connections = connections;
  }

  /** As the results file has it, without what was not begun. */
  witnesses(): Witnesses {
    const [instructions, memory] = [this.#instructions(), this.#memory()];
    return { ...(instructions && { instructions }), ...(memory && { memory }) };
  }

  #instructions(): Witnesses["instructions"] {
    if (this.problems.instructions !== undefined) return { state: "not-measured", reason: this.problems.instructions };
    const { requests } = this.windowSize;
    if (this.rounds.length === 0 || requests === undefined) return undefined;
    const { version, countedConnections: connections } = this;
    return { state: "measured", source: "callgrind", version, connections, requests, rounds: [...this.rounds] };
  }

  #memory(): Witnesses["memory"] {
    if (this.problems.memory !== undefined) return { state: "not-measured", reason: this.problems.memory };
    const { requests } = this.chunkSize;
    if (this.pairs.length === 0 || requests === undefined) return undefined;
    return { state: "measured", connections: this.connections, requests, pairs: [...this.pairs] };
  }
}

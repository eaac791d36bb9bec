/** Makes the case results of a row, passes each on, and knows which are still missing. */
import type { PlannedRow, Side } from "../plan/types.js";
import { unreadyReason } from "../provision/failure-text.js";
import type { EnvironmentState, ReadyEnvironment } from "../provision/types.js";
import { answerNotes } from "../results/answer-notes.js";
import type { ExpectedAnswer } from "../results/answers.js";
import type { CaseResult } from "../results/schema.js";
import type { CaseFigures } from "./case.js";
import { type Exchange, expectedAnswers } from "./server/exchange.js";
import { HOST } from "./server/port.js";

/** The command for the results file: the port stays open, so that two runs record the same command. */
function openHost(command: readonly string[]): string[] {
  return command.map((part) => part.replaceAll("{host}", HOST));
}

/** Fields of every case result, measured or not. */
function caseFields(row: PlannedRow, side: Side, connections: number) {
  const { id, set, title, group, knobs, server } = row;
  return {
    id,
    set,
    title,
    side,
    knobs: { ...knobs },
    connections,
    ...(group === undefined ? {} : { group }),
    server: { name: server.name, title: server.title, interface: server.interface, command: openHost(server.command) },
  };
}

/** The same for a case whose environment is installed. */
export function startedFields(
  row: PlannedRow,
  { version, pythonVersion, packages }: ReadyEnvironment,
  side: Side,
  connections: number,
  generatorCommand: readonly string[] | undefined,
  answers: readonly ExpectedAnswer[] = [],
) {
  const fields = caseFields(row, side, connections);
  return {
    ...fields,
    server: { ...fields.server, version, python: pythonVersion, packages: [...packages] },
    ...(generatorCommand === undefined ? {} : { generatorCommand: [...generatorCommand] }),
    ...(answers.length > 0 && { answers: [...answers] }),
  };
}

/** The results of a row whose environment could not be made: one for each of its cases. */
export function unmeasured(
  row: PlannedRow,
  side: Side,
  environment: Exclude<EnvironmentState, ReadyEnvironment>,
): CaseResult[] {
  return row.connections.map((connections) => {
    const fields = caseFields(row, side, connections);
    const reason = unreadyReason(environment, side);
    if (environment.state === "skipped") return { ...fields, state: "skipped", reason };
    return { ...fields, state: "failed", reason, ...(environment.log === "" ? {} : { log: environment.log }) };
  });
}

/** Receives the results. */
export interface Recipient {
  readonly side: Side;
  onCase(result: CaseResult): Promise<void>;
}

function withWarnings(warnings: string[]): { warnings?: string[] } {
  return warnings.length > 0 ? { warnings } : {};
}

export class RowResults {
  readonly results: CaseResult[] = [];
  readonly #row: PlannedRow;
  readonly #ready: ReadyEnvironment;
  readonly #context: Recipient;
  #exchange: Exchange | undefined;
  #since = performance.now();

  constructor(row: PlannedRow, ready: ReadyEnvironment, context: Recipient) {
    this.#row = row;
    this.#ready = ready;
    this.#context = context;
  }

  get left(): number {
    return this.#row.connections.length - this.results.length;
  }

  /** From now on results say what is expected of the answers. */
  expects(exchange: Exchange): void {
    this.#exchange = exchange;
  }

  #fields(connections: number, generatorCommand: readonly string[] | undefined) {
    const answers = this.#exchange ? expectedAnswers(this.#exchange) : [];
    const fields = startedFields(this.#row, this.#ready, this.#context.side, connections, generatorCommand, answers);
    const { rateShare } = this.#row;
    return { ...fields, ...(rateShare !== undefined && { rateShare }) };
  }

  async add(connections: number, figures: CaseFigures, log: string): Promise<void> {
    const fields = this.#fields(connections, figures.generatorCommand);
    const wallSec = (performance.now() - this.#since) / 1000;
    if (figures.state === "failed") {
      await this.#hand({ ...fields, state: "failed", reason: figures.reason, ...(log === "" ? {} : { log }) });
    } else {
      const { summary, slices, warnings, othersShare, spread, disturbed } = figures;
      await this.#hand({
        ...fields,
        state: "completed",
        summary,
        slices: [...slices],
        othersShare,
        ...(spread !== undefined && { spread }),
        ...(disturbed && { disturbed }),
        wallSec,
        ...withWarnings([...warnings, ...answerNotes(fields.answers ?? [])]),
      });
    }
    this.#since = performance.now();
  }

  /** Adds a failed result, for this reason, for every case that has none yet. */
  async failRest(reason: string, log: string, generatorCommand?: readonly string[]): Promise<CaseResult[]> {
    for (const connections of this.#row.connections.slice(this.results.length)) {
      const fields = this.#fields(connections, generatorCommand);
      await this.#hand({ ...fields, state: "failed", reason, ...(log === "" ? {} : { log }) });
    }
    return this.results;
  }

  async #hand(result: CaseResult): Promise<void> {
    this.results.push(result);
    await this.#context.onCase(result);
  }
}

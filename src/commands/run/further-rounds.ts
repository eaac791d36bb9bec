/** Measures the further metrics of many rows, round by round, until none is open or the time is over. */

import { randomInt } from "node:crypto";
import { allEnded } from "../../all-ended.js";
import { INSTRUCTIONS, MEMORY_PEAK } from "../../compare/further-metrics/further-metrics.js";
import { firstLook } from "../../compare/looks.js";
import type { FurtherSubject } from "../../measure/further-subject.js";
import {
  type CountContext,
  countedConnections,
  countedRow,
  countProcess,
} from "../../measure/instructions/count-process.js";
import { findValgrind, type Valgrind } from "../../measure/instructions/valgrind.js";
import { type MemoryContext, sampleMemoryPair } from "../../measure/memory/memory-pair.js";
import { plural } from "../../messages/sentence.js";
import type { Side } from "../../plan/types.js";
import { ROUND_SEC } from "./expected-time.js";
import { KeptPreparations } from "./kept-preparations.js";
import { measureInSlots, type ScheduleEnd } from "./round-schedule.js";

/** Python reads seeds from 1 to this as numbers. */
const HASH_SEED_END = 2 ** 32;
/** Processes below Valgrind take some 150 MiB each. */
const SLOTS_MAX = 16;

export type FurtherKind = "instructions" | "memory";

export interface FurtherRunning {
  /** Of memory: server and load generator on CPUs of their own. */
  readonly context: Omit<MemoryContext, "connections">;
  /** Seconds of a clock that never goes back. */
  now(): number;
  line(text: string): void;
  /** Nobody asked for counted instructions: a server that cannot be counted has not failed. */
  readonly countsAreExtra: boolean;
  /** Before each round. */
  onRound(subject: FurtherSubject, kind: FurtherKind, round: number): void;
}

interface Rounds {
  readonly kind: FurtherKind;
  readonly subjects: readonly FurtherSubject[];
  /** The subjects of which another round is wanted. */
  open(): readonly FurtherSubject[];
  /** Seconds from now on; undefined: no limit. */
  readonly limitSec: number | undefined;
  /** After each round. */
  between(): Promise<void>;
}

type MeasureRound = (subject: FurtherSubject, running: FurtherRunning, kept: KeptPreparations) => Promise<void>;

/** How the rounds of one kind are measured. */
interface Method {
  /** Rounds at a time. */
  readonly slots: number;
  readonly running: FurtherRunning;
  readonly measure: MeasureRound;
}

/** @returns the rows that the limit had no room for @throws the run's abort reason, when nothing runs any more */
export async function measureRounds(
  rounds: Rounds,
  running: FurtherRunning,
): Promise<ScheduleEnd<FurtherSubject> | undefined> {
  if (rounds.subjects.length === 0) return undefined;
  const method =
    rounds.kind === "memory" ? { slots: 1, running, measure: sampleRound } : await counting(rounds, running);
  return method && (await inSlots(rounds, method));
}

/** Undefined: nothing can be counted here, and each subject says why. */
async function counting(rounds: Rounds, running: FurtherRunning): Promise<Method | undefined> {
  const { run, env, cpus } = running.context;
  const found = await findValgrind(env, run);
  if (found.state === "missing") {
    run.warn?.(`Instructions were not counted: ${found.reason}`);
    running.line(`note   instructions are not counted: ${found.reason}`);
    for (const subject of rounds.subjects) subject.problems.instructions = { reason: found.reason };
    return undefined;
  }
  // Neighbours do not change what is counted, so all CPUs are used, and each side takes one.
  const all = [...new Set([...cpus.server, ...cpus.client])].sort((a, b) => a - b);
  running.line(
    `counting instructions of ${whichRows(rounds.subjects)} below Valgrind ${found.valgrind.version} on ${plural(all.length, "CPU")}`,
  );
  return {
    slots: rounds.subjects.some(needsAllAlone) ? 1 : Math.min(SLOTS_MAX, Math.max(1, Math.ceil(all.length / 2))),
    running: { ...running, context: { ...running.context, cpus: { ...cpus, server: all, client: all } } },
    measure: (subject, onAll, kept) => countRound(subject, onAll, kept, found.valgrind),
  };
}

function whichRows(subjects: readonly FurtherSubject[]): string {
  const [first] = subjects;
  return first && subjects.length === 1 ? first.sides.head.row.id : plural(subjects.length, "benchmark");
}

/** Rows of one app may use the same files, and idle connections are many: at most those of one row at a time. */
function needsAllAlone({ sides }: FurtherSubject): boolean {
  const rows = [sides.head.row, ...(sides.base ? [sides.base.row] : [])];
  return rows.some(({ preparation, idleConnections }) => preparation !== undefined || idleConnections !== undefined);
}

/** Also between pairs, whose preparations and files are in use. */
export function canCountAnyTime(subject: FurtherSubject, { context }: Pick<FurtherRunning, "context">): boolean {
  return !needsAllAlone(subject) && context.generators.has(countedRow(subject.sides.head.row).generator);
}

async function inSlots(
  { kind, subjects, open, limitSec, between }: Rounds,
  { slots, running, measure }: Method,
): Promise<ScheduleEnd<FurtherSubject>> {
  await using kept = new KeptPreparations();
  const stillOpen = () => new Set(open().filter(({ problems }) => problems[kind] === undefined));
  return await measureInSlots({
    subjects,
    slots,
    limitSec,
    between: async () => {
      await between();
      // Rows that are prepared have the only slot, so that none of them is measured now.
      await kept.keepOnly(stillOpen());
    },
    firstRounds: firstRounds(kind),
    expectedSec: ROUND_SEC[kind],
    now: running.now,
    roundsOf: (subject) => roundsOf(subject, kind),
    open: stillOpen,
    measure: async (subject) => {
      running.context.run.signal.throwIfAborted();
      running.onRound(subject, kind, roundsOf(subject, kind) + 1);
      await measure(subject, running, kept);
    },
  });
}

/** Rounds until the first test. */
export function firstRounds(kind: FurtherKind): number {
  return firstLook((kind === "memory" ? MEMORY_PEAK : INSTRUCTIONS).looks);
}

/** Seconds that they usually take. */
export function firstRoundsSec(kind: FurtherKind): number {
  return firstRounds(kind) * ROUND_SEC[kind];
}

export function roundsOf({ rounds, pairs }: FurtherSubject, kind: FurtherKind): number {
  return kind === "memory" ? pairs.length : rounds.length;
}

/** Undefined: the preparation failed, which is why the subject has no further figures. */
async function preparedFor(
  subject: FurtherSubject,
  kind: FurtherKind,
  kept: KeptPreparations,
  context: FurtherRunning["context"],
) {
  const prepared = await kept.of(subject, context);
  if (prepared.state === "prepared") return prepared;
  subject.problems[kind] = { reason: prepared.reason, failedIn: prepared.side };
  return undefined;
}

/** A process of each side at the same time, with one hash seed. */
async function countRound(
  subject: FurtherSubject,
  { context, now, countsAreExtra }: FurtherRunning,
  kept: KeptPreparations,
  valgrind: Valgrind,
): Promise<void> {
  if (lacksGenerator(subject, "instructions", context)) return;
  const prepared = await preparedFor(subject, "instructions", kept, context);
  if (!prepared) return;
  const { base, head } = prepared.sides;
  const hashSeed = randomInt(1, HASH_SEED_END);
  const counting: CountContext = { ...context, valgrind };
  const started = now();
  const count = (side: NonNullable<typeof base>) =>
    countProcess(countedRow(side.row), side.ready, hashSeed, subject.windowSize, counting);
  const [ofHead, ofBase] = await allEnded([head, ...(base ? [base] : [])].map(count));
  if (lostService(subject, "instructions", prepared)) return;
  const problem = (reason: string, failedIn: Side) => (countsAreExtra ? { reason } : { reason, failedIn });
  if (ofBase?.state === "failed") subject.problems.instructions = problem(ofBase.reason, "base");
  // Where both failed, head's failure counts: base does not excuse it.
  if (ofHead?.state === "failed") subject.problems.instructions = problem(ofHead.reason, "head");
  if (ofHead?.state !== "counted" || ofBase?.state === "failed") return;
  subject.answers.head = ofHead.answers;
  if (ofBase) subject.answers.base = ofBase.answers;
  subject.version = valgrind.version;
  subject.countedConnections = countedConnections(head.row);
  subject.rounds.push({
    hashSeed,
    seconds: now() - started,
    ...(ofBase && { base: [...ofBase.windows] }),
    head: [...ofHead.windows],
  });
}

/** Its round does not count. */
function lostService(
  subject: FurtherSubject,
  kind: FurtherKind,
  { endedService }: NonNullable<Awaited<ReturnType<typeof preparedFor>>>,
): boolean {
  const ended = endedService();
  if (ended) subject.problems[kind] = { reason: ended.reason, failedIn: ended.side };
  return ended !== undefined;
}

/** Neither side's fault: oha, which loads the rows of wrk here, could not be set up. */
function lacksGenerator(
  { sides, problems }: FurtherSubject,
  kind: FurtherKind,
  { generators }: FurtherRunning["context"],
): boolean {
  const { generator } = countedRow(sides.head.row);
  if (generators.has(generator)) return false;
  problems[kind] = { reason: `the load generator ${generator} could not be set up` };
  return true;
}

/** The side that is started first changes from pair to pair. */
async function sampleRound(
  subject: FurtherSubject,
  { context, now }: FurtherRunning,
  kept: KeptPreparations,
): Promise<void> {
  const { connections, pairs, chunkSize } = subject;
  if (lacksGenerator(subject, "memory", context)) return;
  const prepared = await preparedFor(subject, "memory", kept, context);
  if (!prepared) return;
  const { base, head } = prepared.sides;
  const sources = {
    ...(base && { base: { ...base, row: countedRow(base.row) } }),
    head: { ...head, row: countedRow(head.row) },
  };
  const started = now();
  const first = pairs.length % 2 === 0 ? "base" : "head";
  const hashSeed = randomInt(1, HASH_SEED_END);
  const sampled = await sampleMemoryPair(sources, hashSeed, first, chunkSize, {
    ...context,
    connections,
    cpus: prepared.cpus,
  });
  if (lostService(subject, "memory", prepared)) return;
  if (sampled.state === "failed") {
    subject.problems.memory = { reason: sampled.reason, failedIn: sampled.failedIn };
    return;
  }
  const { base: ofBase, head: ofHead, answers } = sampled;
  Object.assign(subject.answers, answers);
  pairs.push({ seconds: now() - started, ...(ofBase && { base: ofBase }), head: ofHead });
}

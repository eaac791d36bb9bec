/** Records pairs of real servers between clean builds: identical sides, plants, and a scripted neighbour. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "../../src/commands/session.js";
import { InputError } from "../../src/errors.js";
import { MachineLock } from "../../src/machine-lock/machine-lock.js";
import { findValgrind } from "../../src/measure/instructions/valgrind.js";
import { type CpuSplit, readTopology, splitCpus } from "../../src/measure/machine/cpus.js";
import { readHost } from "../../src/measure/machine/facts.js";
import { pairChance } from "../../src/measure/pairs/chance.js";
import { type PairContext, PairSeries } from "../../src/measure/pairs/pair.js";
import type { PairSides } from "../../src/measure/pairs/pair-servers.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import type { RunContext } from "../../src/process/run.js";
import { readyTools } from "../../src/provision/generators/generators.js";
import { makeFiles } from "../../src/provision/payload-files.js";
import { provision } from "../../src/provision/provision.js";
import type { Pair } from "../../src/results/comparison.js";
import { takeMachine } from "../machine.js";
import { writeRecording } from "../recording/file.js";
import { type Build, makeBuild, progressLines } from "./builds.js";
import { shareOfTurn } from "./calibrate.js";
import { CountedRow } from "./counted.js";
import { startNeighbour } from "./neighbour-process.js";
import { calibratedWork, type Plant, parsePlant, plantEnvironment } from "./plants.js";
import { type RowPlan, rowPlans } from "./schedule.js";
import { CONNECTIONS, subjectNamed } from "./subjects.js";

export interface RecordOptions {
  readonly root: string;
  readonly servers: readonly string[];
  /** Server of servers.yml -> folder of its source. */
  readonly checkouts: ReadonlyMap<string, string>;
  /** Specs such as `none`, `cpu:3`. */
  readonly plants: readonly string[];
  /** Shares of the time, 0 for none. */
  readonly neighbours: readonly number[];
  readonly neighbourCpus: "both" | "server" | "client";
  /** Clean builds of each server: two for a pair of sides. */
  readonly builds: number;
  /** Of each row. */
  readonly pairs: number;
  /** Rounds of counted instructions of each row, one after each of its first pairs. */
  readonly counts: number;
  /** Also compare latency at a fixed rate. */
  readonly latency: boolean;
  readonly seed: number;
  readonly out: string;
  readonly say: (line: string) => void;
}

/** A pair takes seconds; a neighbour that is forgotten ends after this. */
const NEIGHBOUR_MAX_SEC = 120;

interface Recorder {
  readonly options: RecordOptions;
  readonly context: PairContext;
  readonly builds: readonly Build[];
  readonly series: PairSeries;
}

export async function record(options: RecordOptions): Promise<void> {
  for (const server of options.servers) subjectNamed(server);
  const env = { ...process.env };
  const folder = await mkdtemp(join(tmpdir(), "server-bench-evaluate-"));
  // Opened before the session, so that it is freed after the session has ended every process.
  await using machine = MachineLock.open(env);
  await using session = await Session.open(env);
  try {
    const run = session.context;
    if (options.counts > 0) await checkValgrind(env, run);
    // The load generator and uv come into the usual cache: every build uses them from there.
    const tools = await provision(await usualRows(options), { run, env, progress: progressLines(options.say) });
    const builds: Build[] = [];
    for (let number = 0; number < options.builds; number += 1) {
      options.say(`build ${number + 1} of ${options.builds}`);
      const name = `build-${String(number).padStart(3, "0")}`;
      builds.push(await makeBuild(join(folder, name), { ...options, env, run }));
    }
    const cpus = splitCpus(readTopology());
    const filesDir = join(run.tempDir, "files");
    await makeFiles(filesDir);
    const generators = readyTools(tools.generators);
    const context: PairContext = {
      run,
      cpus,
      filesDir,
      env,
      generators,
      connections: CONNECTIONS,
      ...(options.latency ? { latency: { ratePerSec: undefined } } : {}),
      onPhase: () => {},
      onLoad: () => {},
    };
    const python = builds[0]?.sides.values().next().value?.ready.pythonVersion ?? "none";
    const environment = await readHost(python, generators, cpus);
    await takeMachine(machine, run, `evaluate record: ${options.servers.join(", ")}`, options.say);
    await session.holdOpen([machine.descriptor]);
    await using series = new PairSeries();
    await recordAll({ options, context, builds, series }, { ...environment });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Before builds and pairs take their minutes. @throws InputError */
async function checkValgrind(env: NodeJS.ProcessEnv, run: RunContext): Promise<void> {
  const found = await findValgrind(env, run);
  if (found.state === "missing") throw new InputError(`--counts: nothing can be counted here: ${found.reason}`);
}

/** Rows of the built-in sets with the same load generator. */
async function usualRows({ root }: RecordOptions) {
  return rowsOf(await planRun({ root, cwd: root, profile: "quick", cores: 1, selectors: ["vs-asgi/uvicorn-*"] }));
}

async function recordAll(recorder: Recorder, environment: Readonly<Record<string, unknown>>): Promise<void> {
  const { options, builds } = recorder;
  const recordedAt = new Date().toISOString();
  const neighbourCpus = cpusOf(options.neighbourCpus, recorder.context.cpus);
  const plans = rowPlans({ ...options, neighbourCpus, builds: builds.map(({ id }) => id) });
  const turns = await calibrateAll(recorder, plans);
  const rows = plans.map((plan, i) => ({ ...plan, turns: turns[i] ?? 0, pairs: [] as Pair[] }));
  const counted = rows.map((row) => new CountedRow(sidesOf(recorder, row), recorder.context));
  const notes = options.servers.map((server) => {
    const checkout = options.checkouts.has(subjectNamed(server).server);
    return `${server}: ${options.builds} clean builds from ${checkout ? "copies of one checkout" : "the package index"}`;
  });
  // The rows take turns, so that a noisy stretch affects all of them.
  for (let number = 0; number < options.pairs; number += 1) {
    for (const [i, row] of rows.entries()) {
      const seed = options.seed + number * rows.length + i;
      await using _neighbour = await neighbourOf(recorder, row, seed);
      row.pairs.push(await onePair(recorder, { ...row, rowSeed: options.seed + i, number }));
      if (number < options.counts) await counted[i]?.count();
    }
    const withCounts = rows.map((row, i) => ({ ...row, counts: counted[i]?.counts() }));
    const recording = { environment, recordedAt, seed: options.seed, notes, rows: withCounts };
    const bytes = await writeRecording(options.out, recording);
    const perThousand = bytes / 1024 / (((number + 1) * rows.length) / 1000);
    options.say(
      `${number + 1} of ${options.pairs} rounds of ${rows.length} pairs; ${perThousand.toFixed(0)} KiB per 1,000 pairs`,
    );
  }
}

function cpusOf(which: RecordOptions["neighbourCpus"], { server, client }: CpuSplit): readonly number[] {
  if (which === "both") return [...new Set([...server, ...client])];
  return which === "server" ? server : client;
}

/** Turns of each row. A kind of work is calibrated once per server, in quiet. */
async function calibrateAll(recorder: Recorder, plans: readonly RowPlan[]): Promise<number[]> {
  const shares = new Map<string, number>();
  const turns: number[] = [];
  for (const { server, plant: spec, builds } of plans) {
    const work = calibratedWork(parsePlant(spec));
    if (work === undefined) {
      turns.push(0);
      continue;
    }
    const key = `${server} ${work.kind}`;
    const share =
      shares.get(key) ??
      (await shareOfTurn((count, number) =>
        onePair(recorder, {
          server,
          builds,
          number,
          rowSeed: 0,
          turns: count,
          plant: `${work.kind}:1`,
        }),
      ));
    if (!shares.has(key))
      recorder.options.say(`${key}: one turn is ${(share * 100).toFixed(4)} % of a request's CPU time`);
    shares.set(key, share);
    turns.push(Math.round(work.share / share));
  }
  return turns;
}

interface SidesPlan extends Pick<RowPlan, "server" | "plant" | "builds"> {
  readonly turns: number;
}

interface PairPlan extends SidesPlan {
  readonly number: number;
  /** Of what is drawn for the row's pairs. */
  readonly rowSeed: number;
}

async function neighbourOf({ options }: Recorder, { neighbour }: RowPlan, seed: number) {
  return await startNeighbour({ ...neighbour, root: options.root, seed, maxSec: NEIGHBOUR_MAX_SEC });
}

function sidesOf({ builds }: Recorder, { server, plant, turns, builds: names }: SidesPlan): PairSides {
  const side = (id: string, planted: Plant): PairSides["base"] => {
    const built = builds.find((build) => build.id === id)?.sides.get(server);
    if (!built) throw new Error(`build ${id} has no ${server}`);
    const env = { ...built.row.server.env, ...plantEnvironment(planted, turns) };
    return { ready: built.ready, row: { ...built.row, server: { ...built.row.server, env } } };
  };
  return { base: side(names.base, { kind: "none" }), head: side(names.head, parsePlant(plant)) };
}

async function onePair(recorder: Recorder, plan: PairPlan): Promise<Pair> {
  const { context, series } = recorder;
  const { server, plant, number, rowSeed } = plan;
  const started = performance.now();
  const run = await series.measure(sidesOf(recorder, plan), pairChance(rowSeed, number), context);
  if (run.state === "failed") throw new Error(`${server}, ${plant}, ${run.side}: ${run.reason}\n${run.log}`);
  const seconds = (performance.now() - started) / 1000;
  const { sameAddresses } = run;
  return { seconds, ...(sameAddresses && { sameAddresses }), slices: run.slices.map(({ paired }) => paired) };
}

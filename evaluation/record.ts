/** Records pairs of real servers: identical sides, and heads that do calibrated extra CPU work in every request. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "../src/commands/session.js";
import { readTopology, splitCpus } from "../src/measure/machine/cpus.js";
import { readHost } from "../src/measure/machine/facts.js";
import { measurePair, type PairContext, type PairSides } from "../src/measure/pairs/pair.js";
import { planRun, rowsOf } from "../src/plan/plan.js";
import type { PlannedRow } from "../src/plan/types.js";
import { environmentKey } from "../src/provision/environments/key.js";
import { readyTools } from "../src/provision/generators/generators.js";
import { makeFiles } from "../src/provision/payload-files.js";
import { provision } from "../src/provision/provision.js";
import type { ReadyEnvironment } from "../src/provision/types.js";
import type { Pair } from "../src/results/comparison.js";

export interface RecordOptions {
  /** The repository, which holds scenarios/. */
  readonly root: string;
  readonly servers: readonly string[];
  /** Per cent of CPU work per request. */
  readonly sizes: readonly number[];
  /** Of each server and size. */
  readonly pairs: number;
  readonly out: string;
  readonly say: (line: string) => void;
}

const CONNECTIONS = 64;
/** Turns of the loop per request in the first calibration; the second one adds about as much work as is planted. */
const COARSE = { turns: 2000, pairs: 4 };
const FINE = { share: 0.2, pairs: 12 };

/** Answers 10 KB after BURN turns of an empty loop. Every turn costs the same. */
const APP = `import os
from itertools import repeat
BURN = int(os.environ["BURN"])
BODY = b"x" * 10_000
HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"10000")]
async def app(scope, receive, send):
    for _ in repeat(None, BURN):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})
`;

function scenario(server: string, connections: number): string {
  return `title: Evaluation
label: Server
rows:
  - { title: ${server}, server: ${server}, app: burning, request: evaluation-body, connections: ${connections} }
`;
}

const SERVERS_FILE = `apps:
  burning: { interface: asgi, path: . }
requests:
  evaluation-body: { path: /, expect: { body: { repeat: x, size: 10000 } } }
`;

interface Subject {
  readonly server: string;
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}

interface Recorded {
  readonly server: string;
  readonly planted: number;
  readonly turns: number;
  readonly pairs: Pair[];
}

export async function record(options: RecordOptions): Promise<void> {
  const env = { ...process.env };
  const folder = await mkdtemp(join(tmpdir(), "server-bench-evaluate-"));
  await using session = await Session.open(env);
  try {
    const progress = silentProgress(options.say);
    await writeFile(join(folder, "app.py"), APP);
    await writeFile(join(folder, "servers.yml"), SERVERS_FILE);
    for (const server of options.servers)
      await writeFile(join(folder, `evaluate-${server}.yml`), scenario(server, CONNECTIONS));
    const plan = await planRun({
      ...{ root: options.root, cwd: folder, scenarios: folder, profile: "quick", cores: availableParallelism() },
      selectors: options.servers.map((server) => `evaluate-${server}`),
    });
    const provisioned = await provision(rowsOf(plan), { run: session.context, env, progress });
    const cpus = splitCpus(readTopology());
    const filesDir = join(session.context.tempDir, "files");
    await makeFiles(filesDir);
    const subjects = rowsOf(plan).map((row): Subject => {
      const ready = provisioned.environments.get(environmentKey(row.environment));
      if (ready?.state !== "ready") throw new Error(`${row.server.name}: ${ready?.reason ?? "no environment"}`);
      return { server: row.server.name, row, ready };
    });
    const context: PairContext = {
      ...{ run: session.context, cpus, filesDir, env, connections: CONNECTIONS },
      generators: readyTools(provisioned.generators),
      onPhase: () => {},
      onLoad: () => {},
    };
    const python = subjects[0]?.ready.pythonVersion ?? "none";
    const environment = await readHost(python, readyTools(provisioned.generators), cpus);
    await recordAll(subjects, options, context, { ...environment });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function recordAll(
  subjects: readonly Subject[],
  options: RecordOptions,
  context: PairContext,
  environment: Readonly<Record<string, unknown>>,
): Promise<void> {
  const recordedAt = new Date().toISOString();
  const rows: Recorded[] = [];
  for (const subject of subjects) {
    const perTurn = await calibrate(subject, context);
    options.say(`${subject.server}: one turn of the loop is ${(perTurn * 100).toFixed(4)} % of a request's CPU time`);
    for (const planted of options.sizes)
      rows.push({ server: subject.server, planted, turns: Math.round(planted / 100 / perTurn), pairs: [] });
  }
  // The sizes take turns, so that a noisy stretch affects all of them.
  for (let number = 0; number < options.pairs; number += 1) {
    for (const row of rows) {
      const subject = subjects.find(({ server }) => server === row.server);
      if (!subject) continue;
      row.pairs.push(await onePair(subject, row.turns, number, context));
      await writeFile(options.out, JSON.stringify({ environment, recordedAt, rows }));
    }
    options.say(`${number + 1} of ${options.pairs} rounds of ${rows.length} pairs`);
  }
}

/** Share of a request's CPU time that one turn of the loop adds: a rough calibration first, then one near the planted size. */
async function calibrate(subject: Subject, context: PairContext): Promise<number> {
  const coarse = (await addedBy(subject, COARSE.turns, COARSE.pairs, context)) / COARSE.turns;
  const turns = Math.round(FINE.share / coarse);
  return (await addedBy(subject, turns, FINE.pairs, context)) / turns;
}

/** Relative CPU time that this number of turns adds to a request: the median of some pairs. */
async function addedBy(subject: Subject, turns: number, pairs: number, context: PairContext): Promise<number> {
  const added: number[] = [];
  for (let number = 0; number < pairs; number += 1) {
    const pair = await onePair(subject, turns, number, context);
    const cost = (side: "base" | "head") =>
      Math.min(...pair.slices.filter((slice) => slice.side === side).map((one) => one.serverCpuSec / one.requests));
    added.push(cost("head") / cost("base") - 1);
  }
  added.sort((a, b) => a - b);
  return ((added[pairs / 2 - 1] ?? 0) + (added[pairs / 2] ?? 0)) / 2;
}

async function onePair({ row, ready }: Subject, turns: number, number: number, context: PairContext): Promise<Pair> {
  const burning = (burn: number): PairSides["base"] => ({
    row: { ...row, server: { ...row.server, env: { ...row.server.env, BURN: String(burn) } } },
    ready,
  });
  const started = performance.now();
  const run = await measurePair({ base: burning(0), head: burning(turns) }, number, context);
  if (run.state === "failed") throw new Error(`${row.id}, ${run.side}: ${run.reason}\n${run.log}`);
  const seconds = (performance.now() - started) / 1000;
  return { seconds, slices: run.slices.map(({ paired }) => paired) };
}

function silentProgress(say: (line: string) => void) {
  return {
    started: (step: string) => say(`setup  ${step} ...`),
    update: () => {},
    finished: () => {},
    failed: (step: string, reason: string) => say(`setup  ${step} FAILED: ${reason}`),
    note: say,
  };
}

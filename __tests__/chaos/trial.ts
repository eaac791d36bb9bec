/** One trial: the tool, a fault at a random moment, what must hold afterwards, and the same command again. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readResults } from "../../src/results/read.js";
import type { Fault } from "./fault.js";
import { type Random, seeded } from "./random.js";
import { type Ended, type Kind, PULL, processesOf, type Tool, World } from "./world.js";

/** About how long the command takes, so that faults come at any moment of it. */
const USUAL_MS: Readonly<Record<Kind, number>> = {
  run: 9000,
  paired: 16_000,
  report: 900,
  setup: 1500,
  action: 11_000,
};
const WITHIN_SEC = 90;
/** For the watchdog and the supervisors of a killed run. */
const CLEAN_MS = 15_000;

/** A fault comes earlier and earlier until the tool still runs. After this many times it comes as soon as the tool has started. */
const EARLIER_TIMES = 4;

export interface Trial {
  readonly seed: number;
  readonly fault: Fault;
  readonly kind: Kind;
}

/** What did not hold, in words; none: all is well. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly ended: Ended;
  /** Undefined: the tool had ended before the fault came, so that nothing was tried. */
  readonly struckAtMs: number | undefined;
  /** Rows that were printed as finished, and are not in results.json. */
  readonly rowsLost: number;
}

/** The trial, with a fault that comes earlier where the tool had ended before. @param notStruck of a trial that says nothing */
export async function runTrial(trial: Trial, notStruck: (verdict: Verdict) => void): Promise<Verdict> {
  for (let earlier = 0; ; earlier += 1) {
    const verdict = await runOnce(trial, earlier < EARLIER_TIMES ? 0.5 ** earlier : 0);
    // A problem without the fault is a problem too.
    if (verdict.struckAtMs !== undefined || verdict.problems.length > 0) return verdict;
    if (earlier === EARLIER_TIMES)
      return { ...verdict, problems: ["not struck: the tool always ended before the fault"] };
    notStruck(verdict);
  }
}

/** @param share of the usual time within which the fault comes */
async function runOnce(trial: Trial, share: number): Promise<Verdict> {
  const { fault, kind } = trial;
  const random = seeded(trial.seed);
  await using world = await World.open(kind);
  // Whatever happens, nothing of the fault stays on this machine.
  using _ = { [Symbol.dispose]: () => repairOnce() };
  let repaired = false;
  const repairOnce = (): void => {
    if (!repaired) fault.repair?.(world);
    repaired = true;
  };
  const start = fault.prepare?.(world, random) ?? {};
  const tool = world.start(start);
  const atMs = share * random.between(0, USUAL_MS[kind]);
  const limit = sleepUntil(tool, (fault.withinSec ?? WITHIN_SEC) * 1000);
  const struck = await strike(fault, world, tool, atMs, random);
  const late = await limit;
  const ended = await tool.ended;
  const problems = late ? [`it did not end within ${fault.withinSec ?? WITHIN_SEC} s`] : [];
  problems.push(...checkEnd(ended, fault));
  const { lost, problem } = await checkResults(world, ended);
  problems.push(...problem);
  if (fault.leaves === undefined) problems.push(...(await checkClean(world, fault)));
  if (!fault.commentStays && world.github) problems.push(...checkComment(world));
  repairOnce();
  if (problems.length === 0 && struck) problems.push(...(await again(world)));
  return { problems, ended, struckAtMs: struck ? Math.round(atMs) : undefined, rowsLost: lost };
}

/** @returns whether the tool still ran, or was broken from its start */
async function strike(fault: Fault, world: World, tool: Tool, atMs: number, random: Random): Promise<boolean> {
  if (!fault.strike) return true;
  await Promise.race([tool.ended, sleep(atMs)]);
  const { exitCode, signalCode } = tool.child;
  if (exitCode !== null || signalCode !== null) return false;
  return (await fault.strike(world, tool, random)) !== false;
}

/** Kills a tool that hangs. @returns whether it had to */
async function sleepUntil(tool: Tool, ms: number): Promise<boolean> {
  const over = new AbortController();
  const late = sleep(ms, true, { signal: over.signal }).catch(() => false);
  const first = await Promise.race([tool.ended.then(() => false), late]);
  over.abort();
  if (first) tool.child.kill("SIGKILL");
  return first;
}

function checkEnd({ code, output }: Ended, { codes, says }: Fault): string[] {
  return [
    ...(codes.includes(code) ? [] : [`exit code ${code}`]),
    ...(/defect of server-bench|\n {4}at |UnhandledPromise|FATAL ERROR/.test(output) ? ["a stack or a defect"] : []),
    ...(code !== 0 && code !== null && says && !says.test(output) ? [`no word of the cause: ${says}`] : []),
    ...(code !== 0 && code !== null && output.trim() === "" ? ["it said nothing"] : []),
  ];
}

async function checkResults(world: World, { output, code }: Ended): Promise<{ lost: number; problem: string[] }> {
  const file = join(world.results, "results.json");
  const finished = [...output.matchAll(/^ok {3}(\S+) \(c(\d+)\)/gm)].map(([, id, c]) => `${id} ${c}`);
  if (!existsSync(file)) {
    // Who removes results.json takes its rows along.
    const removed = !existsSync(world.results) || readdirSync(world.results).length === 0;
    return { lost: 0, problem: finished.length > 0 && code !== 3 && !removed ? ["no results.json"] : [] };
  }
  try {
    const { cases } = await readResults(file);
    const kept = new Set(cases.flatMap((one) => (one.state === "completed" ? [`${one.id} ${one.connections}`] : [])));
    const lost = finished.filter((row) => !kept.has(row));
    return { lost: lost.length, problem: lost.length === 0 ? [] : [`finished rows are lost: ${lost.join(", ")}`] };
  } catch (error) {
    return { lost: 0, problem: [`results.json is not valid: ${error instanceof Error ? error.message : error}`] };
  }
}

/** No process, no temporary folder, no half-written file. */
async function checkClean(world: World, fault?: Fault): Promise<string[]> {
  const until = performance.now() + CLEAN_MS;
  for (;;) {
    const left = leftovers(world);
    if (left.length === 0 || performance.now() > until)
      return left.map((one) => `left behind${fault ? "" : " after the next run"}: ${one}`);
    await sleep(100);
  }
}

const OWN_FILES = /^(\.gitignore|results\.json|report\.md|index\.html|charts|logs|profiles|base\.json|filler)$/;

function leftovers(world: World): string[] {
  const results = existsSync(world.results) ? readdirSync(world.results) : [];
  return [
    ...processesOf(world.root).map(({ command }) => `process ${command}`),
    ...readdirSync(world.temp).flatMap((name) => (name === "filler" ? [] : [`temporary ${name}`])),
    ...results.flatMap((name) => (OWN_FILES.test(name) ? [] : [`file ${name}`])),
    ...readdirSync(join(world.root, "head")).flatMap((name) =>
      name.startsWith(".server-bench") ? [`file ${name}`] : [],
    ),
  ];
}

function checkComment({ github }: World): string[] {
  const bodies = github?.commentsOf(PULL).map(({ body }) => body) ?? [];
  return [
    ...(bodies.length > 1 ? [`${bodies.length} comments`] : []),
    ...(bodies.some((body) => /phase=measuring|\*\*Measuring:\*\*/.test(body))
      ? ["the comment is left in progress"]
      : []),
  ];
}

/** The same command succeeds, and leaves nothing of either run. */
async function again(world: World): Promise<string[]> {
  world.github?.heal();
  const { code, output } = await world.start().ended;
  if (code !== 0) return [`the same command again ends with ${code}: ${output.slice(-600)}`];
  return await checkClean(world);
}

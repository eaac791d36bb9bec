/** Installs and starts the app with the chosen server, by the same stages as a run, and asks it for pages. */
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { InputError, SetupError } from "../../errors.js";
import type { Choice, ChosenRoute } from "../../init/choice.js";
import { renderServersFile, renderSetFile } from "../../init/render.js";
import { readTopology, splitCpus } from "../../measure/machine/cpus.js";
import { preparedRow, prepareSide } from "../../measure/preparation/prepare.js";
import { attempt } from "../../measure/server/attempt.js";
import { makeExchange } from "../../measure/server/exchange.js";
import type { Answer } from "../../measure/server/probe.js";
import { startReady } from "../../measure/server/start.js";
import { planRun, rowsOf } from "../../plan/plan.js";
import type { PlannedRow } from "../../plan/types.js";
import { environmentKey } from "../../provision/environments/key.js";
import { unreadyReason } from "../../provision/failure-text.js";
import { makeFiles } from "../../provision/payload-files.js";
import { provision } from "../../provision/provision.js";
import type { ProvisionProgress, ReadyEnvironment } from "../../provision/types.js";
import type { ProcessContext } from "../process-context.js";
import type { Session } from "../session.js";

/** A page that takes longer is not worth measuring. */
const ANSWER_MS = 10_000;

export interface TrialContext {
  readonly context: ProcessContext;
  readonly session: Session;
  readonly progress: ProvisionProgress;
  /** Absolute. */
  readonly project: string;
  readonly python: string | undefined;
}

export interface PreparedApp {
  readonly row: PlannedRow;
  readonly ready: ReadyEnvironment;
}

/** The folder of the files that servers are given. */
export function filesFolder({ session }: TrialContext): string {
  return join(session.context.tempDir, "files");
}

/** @throws InputError where the choice makes no row; SetupError where its environment cannot be made */
export async function prepare(choice: Choice, trial: TrialContext): Promise<PreparedApp> {
  const row = await planTrial(choice, trial);
  const { context, session, progress } = trial;
  const failed: ProvisionProgress["failed"] = (step, reason) => progress.failed(step, withoutTrialFile(reason));
  const options = { run: session.context, env: { ...context.env }, progress: { ...progress, failed } };
  const { environments } = await provision([row], options);
  const state = environments.get(environmentKey(row.environment));
  if (state?.state === "ready") return { row, ready: state };
  if (state === undefined) throw new SetupError(`no environment was made for ${choice.server.name}`);
  throw new SetupError(withoutTrialFile(unreadyReason(state, "head")), state.state === "failed" ? state.log : "");
}

/** Without `/tmp/server-bench-x/benchmarks/servers.yml:8: apps.shop.install.lock: `: the user has no such file. */
function withoutTrialFile(message: string): string {
  return message.replaceAll(/\S+\/servers\.yml:\d+: apps\.\S+: /g, "");
}

async function planTrial(choice: Choice, { context, session, project, python }: TrialContext): Promise<PlannedRow> {
  const scenarios = join(session.context.tempDir, "benchmarks");
  await mkdir(scenarios, { recursive: true });
  await writeFile(join(scenarios, "servers.yml"), renderServersFile(choice, project));
  await writeFile(join(scenarios, `${choice.name}.yml`), renderSetFile(choice));
  const plan = await planRun({
    root: context.root,
    cwd: context.cwd,
    scenarios,
    selectors: [choice.name],
    profile: "quick",
    cores: availableParallelism(),
    ...(python !== undefined && { python }),
  });
  const [row] = rowsOf(plan);
  if (row === undefined) throw new InputError(`the set ${choice.name} has no benchmark`);
  return row;
}

export type Asked =
  | { readonly state: "answered"; readonly route: ChosenRoute; readonly answer: Answer }
  | { readonly state: "unanswered"; readonly route: ChosenRoute; readonly why: string };

/** The page that a redirect leads to; undefined for an answer that is no redirect, or leads to no page to measure. */
export type FollowRedirect = (asked: Asked, known: readonly ChosenRoute[], port: number) => ChosenRoute | undefined;

/**
 * Starts the server once and asks for each page, and for those that redirects lead to.
 * @returns the answers, and the last lines of the server's log
 * @throws InputError where a command before the server fails, or the server does not answer at all
 */
export async function askPages(
  { row, ready }: PreparedApp,
  routes: readonly ChosenRoute[],
  follow: FollowRedirect,
  trial: TrialContext,
): Promise<{ readonly asked: readonly Asked[]; readonly log: string }> {
  const { context, session } = trial;
  const filesDir = filesFolder(trial);
  await makeFiles(filesDir);
  const env = { ...context.env };
  const start = { run: session.context, cpus: splitCpus(readTopology()), filesDir, env, anyAnswer: true } as const;
  const prepared = await prepareSide(row, "head", ready, start);
  if (prepared.state === "failed") throw new InputError(`${prepared.reason}\n${prepared.log.trimEnd()}`);
  await using _ = prepared;
  const { path, headers } = routes[0] ?? { path: "/", headers: {} };
  const asked = preparedRow({ ...row, request: { ...row.request, path, headers } }, prepared);
  const started = await startReady(asked, ready, await makeExchange(asked, filesDir), start);
  if (started.state === "failed")
    throw new InputError(
      `${row.server.title} with ${row.server.command.at(-1)}: ${started.reason}\n${started.log.trimEnd()}`,
    );
  await using server = started.server;
  const answers: Asked[] = [];
  const queue = [...routes];
  for (const route of queue) {
    const request = { method: "GET", path: route.path, headers: route.headers, body: undefined };
    const seen = await attempt({ ...request, port: started.port, http: row.http }, ANSWER_MS, session.context.signal);
    session.context.signal.throwIfAborted();
    const asked: Asked =
      seen.kind === "none"
        ? { state: "unanswered", route, why: server.exit === undefined ? seen.why : "the server ended" }
        : { state: "answered", route, answer: seen };
    answers.push(asked);
    const next = follow(asked, queue, started.port);
    if (next !== undefined) queue.push(next);
  }
  return { asked: answers, log: server.logTail() };
}

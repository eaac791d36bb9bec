/** `init`: looks at a project, tries its app, and writes the files that measure it. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../errors.js";
import type { Choice, ChosenRoute } from "../init/choice.js";
import { detect } from "../init/detect.js";
import { namedPython } from "../init/named-python.js";
import type { ProjectFiles } from "../init/project.js";
import { renderServersFile, renderSetFile } from "../init/render.js";
import { WORKSPACE_LOCK } from "../init/unread-files.js";
import { renderHardenedWorkflow, renderWorkflow, SCENARIOS_FOLDER, workflowFile } from "../init/workflow.js";
import { type Library, loadLibrary } from "../plan/load.js";
import { git } from "../provision/sides/git.js";
import { type Display, openDisplay } from "./display.js";
import { choose, nameOf } from "./init/choose.js";
import { untrackedDatabases } from "./init/databases.js";
import { checkFolder, checkUnwritten, exampleWorkflow, typedPath, writeAll } from "./init/files.js";
import { type Inspected, inspectApp } from "./init/inspection.js";
import { type InitOptions, readInitOptions } from "./init/options.js";
import { askedRoutes, followWithin, namedRoutes, openRoutes, proposed, typedRoutes } from "./init/propose.js";
import { choosePython } from "./init/python.js";
import { openQuestions, type Questions } from "./init/questions.js";
import { readProject } from "./init/read-project.js";
import { readPython } from "./init/read-python.js";
import { placeInRepository, type RepositoryPlace } from "./init/repository.js";
import { type Asked, askPages, prepare, type TrialContext } from "./init/trial.js";
import { answerLines, foundLine, tryLine } from "./init/words.js";
import type { ParsedCommand } from "./options.js";
import { checkPlatform } from "./platform.js";
import { cliPath, type ProcessContext } from "./process-context.js";
import { Session } from "./session.js";

/** @throws InputError where nothing is found, the app cannot be served, or a file is there already; SetupError */
export async function init(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  checkPlatform("init");
  const options = readInitOptions(parsed, context.cwd);
  const display = openDisplay(context.stdout, context.env);
  const files = await readProject(options.project);
  const library = await loadLibrary(context.root, undefined);
  const named = nameOf(options, files, library);
  const place = await placeInRepository(options.project);
  const written = writtenFiles(named.name, place);
  // Before anybody is asked anything.
  if (!options.force) await checkUnwritten(options.project, written);
  await checkFolder(options.project, written);
  const detected = detect(files, await readPython(files, options.python, context, display));
  using questions = openQuestions(context, options.yes);
  const draft = await choose({ options, named, files, detected, library, questions, display });
  if (await hasWorkspaceLock(draft, place, options)) display.line(foundLine("", WORKSPACE_LOCK, ""));
  for (const line of await databaseLines(options.project)) display.line(line);
  await using session = await Session.open(context.env);
  try {
    const trial = { context, session, progress: display.setup, project: options.project, python: options.python };
    const python = await pythonOf(draft, files, trial, display);
    const tried = await tryOut({ ...draft, python }, { trial, options, questions, display, library });
    const workflow = await workflowOf(tried, place, options, context);
    await writeAll(options.project, textsOf(tried, written, workflow));
    for (const line of await closingLines(draft.name, written, options, context)) display.line(line);
    return 0;
  } catch (error) {
    // Of an interrupt, not of what it broke.
    throw session.context.signal.aborted ? session.context.signal.reason : session.explain(error);
  } finally {
    display.close();
  }
}

/** Of a workspace around the project. */
async function hasWorkspaceLock(
  { dependencies: { source } }: Choice,
  { top }: RepositoryPlace,
  { project }: InitOptions,
): Promise<boolean> {
  if (top === "" || (source.kind !== "project" && source.kind !== "requirements")) return false;
  if (!source.file.endsWith("pyproject.toml")) return false;
  return (await stat(join(project, top, "uv.lock")).catch(() => undefined)) !== undefined;
}

async function databaseLines(project: string): Promise<string[]> {
  const files = await untrackedDatabases(project);
  if (files.length === 0) return [];
  const why = `${files.join(", ")}: not in git, so base and CI lack ${files.length === 1 ? "it" : "them"}`;
  return [foundLine("", `${why}; docs/your-app.md of server-bench, A database`, "")];
}

async function pythonOf(
  draft: Choice,
  files: ProjectFiles,
  trial: TrialContext,
  display: Display,
): Promise<string | undefined> {
  if (trial.python !== undefined) return draft.python;
  const { session, context, progress } = trial;
  const options = { run: session.context, env: { ...context.env }, progress };
  return await choosePython({ required: draft.dependencies.python, named: namedPython(files) }, options, display);
}

interface Trying {
  readonly trial: TrialContext;
  readonly options: InitOptions;
  readonly questions: Questions;
  readonly display: Display;
  /** Built-in requests: their names are taken. */
  readonly library: Library;
}

interface Tried {
  readonly choice: Choice;
  /** Under which the app ran: `3.11.7`. */
  readonly python: string;
}

/** Installs, imports, starts and asks; the pages that answer are chosen. */
async function tryOut(draft: Choice, { trial, options, questions, display, library }: Trying): Promise<Tried> {
  const prepared = await prepare(draft, trial);
  const { ready, row } = prepared;
  const inspected = await inspectApp(prepared, trial);
  checkInterface(draft, inspected);
  const given = options.routes.length > 0;
  const wanted = given
    ? namedRoutes(options.routes, inspected.host, library.requests)
    : askedRoutes(inspected, library.requests);
  const follow = given ? () => undefined : followWithin(library.requests);
  const { asked, log } = await askPages(prepared, wanted, follow, trial);
  const answering = given ? givenRoutes(asked) : proposed(asked);
  display.line(`pages     as ${row.server.title} ${ready.version} answered them:`);
  for (const line of answerLines(asked, answering, inspected.framework)) display.line(line);
  for (const line of hintLines(inspected, asked, { given, log })) display.line(line);
  if (answering.length === 0)
    throw new InputError(
      `no page answered with a status from 200 to 299; --route PATH names one that does${failureLog(asked, log)}`,
    );
  const routes = await confirmRoutes(answering, questions, trial.session.context.signal);
  return { choice: { ...draft, routes }, python: ready.pythonVersion };
}

function checkInterface({ app }: Choice, { takes: seen }: Inspected): void {
  if (seen === null || app.interface === "rsgi") return;
  throw new InputError(
    `app ${app.target}: is ${seen.toUpperCase()}, not ${app.interface.toUpperCase()}; give --interface ${seen}`,
  );
}

/** In the words of Django and of the databases. */
const NOT_MIGRATED = /OperationalError|ProgrammingError|UndefinedTable|no such table/;

function hintLines(
  { framework, routes }: Inspected,
  asked: readonly Asked[],
  { given, log }: { readonly given: boolean; readonly log: string },
): string[] {
  const answers = asked.flatMap((one) => (one.state === "answered" ? [one.answer] : []));
  const failing = answers.some(({ status, body }) => status >= 500 && NOT_MIGRATED.test(`${body} ${log}`));
  const open = given ? [] : openRoutes(routes).slice(0, 5);
  return [
    ...(framework === "Django" && failing
      ? ["  pages that read a database need it migrated: docs/your-app.md of server-bench, A database"]
      : []),
    ...(open.length > 0
      ? [`  not measured: ${open.join(", ")}. --route PATH measures one, with values for its parameters`]
      : []),
  ];
}

/** What the server wrote, where the app failed: the cause is there. */
function failureLog(asked: readonly Asked[], log: string): string {
  const failing = asked.some((one) => one.state === "answered" && one.answer.status >= 500);
  return failing && log.trim() !== "" ? `. The server's log ends with:\n${log.trimEnd()}` : "";
}

/** All pages: the user asked for them. */
function givenRoutes(asked: readonly Asked[]): ChosenRoute[] {
  return asked.map((one) => {
    if (one.state === "unanswered") throw new InputError(`--route ${one.route.path}: no answer: ${one.why}`);
    const { status } = one.answer;
    return { ...one.route, status: status >= 200 && status < 300 ? undefined : status };
  });
}

async function confirmRoutes(
  routes: readonly ChosenRoute[],
  questions: Questions,
  signal: AbortSignal,
): Promise<ChosenRoute[]> {
  if (!questions.asks || routes.length < 2) return [...routes];
  const proposal = routes.map(({ path }) => path).join(" ");
  const typed = await questions.ask("Which pages? Paths with blanks between them", proposal, signal);
  return typedRoutes(typed, routes);
}

/** Relative to the project. GitHub reads workflows at the top of the repository only. */
function writtenFiles(name: string, { folder, top }: RepositoryPlace): string[] {
  const workflow = `${top}${workflowFile({ name, folder })}`;
  return [`${SCENARIOS_FOLDER}/servers.yml`, `${SCENARIOS_FOLDER}/${name}.yml`, workflow];
}

async function workflowOf(
  { choice: { name }, python }: Tried,
  { folder }: RepositoryPlace,
  { hardened }: InitOptions,
  { root }: ProcessContext,
): Promise<string> {
  return hardened
    ? renderHardenedWorkflow(await exampleWorkflow(root, "app.yml"), { name, python, folder })
    : renderWorkflow(await exampleWorkflow(root, "pull-request.yml"), { name, folder });
}

function textsOf(
  { choice }: Tried,
  [servers = "", set = "", workflow = ""]: readonly string[],
  workflowText: string,
): ReadonlyMap<string, string> {
  return new Map([
    [servers, renderServersFile(choice, "..")],
    [set, renderSetFile(choice)],
    [workflow, workflowText],
  ]);
}

async function closingLines(
  name: string,
  written: readonly string[],
  { project }: InitOptions,
  context: ProcessContext,
): Promise<string[]> {
  const wrote = written.map((file) => typedPath(context.cwd, join(project, file)));
  const earlier = await git(project, "rev-parse", "--verify", "--quiet", "HEAD~1^{commit}").catch(() => undefined);
  const compare = earlier === undefined ? ["--profile", "quick"] : ["--base", "HEAD~1"];
  const cli = cliPath({ cwd: project, root: context.root });
  const command = ["node", cli, "run", name, "--scenarios", SCENARIOS_FOLDER, ...compare];
  const folder = project === context.cwd ? undefined : typedPath(context.cwd, project);
  const owner = "In the workflow replace org by the owner of the server-bench repository that you use.";
  return [`wrote     ${wrote.join(", ")}`, `          ${owner}`, "", tryLine(command, folder)];
}

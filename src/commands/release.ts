/** `release`: a release compared with the one before it, as a page and as notes. */
import { resolve } from "node:path";
import { USUAL_PRECISION } from "../compare/precision.js";
import { InputError } from "../errors.js";
import { openGitHub } from "../github/client.js";
import { COMMAND_LINE } from "../plan/option-names.js";
import { parseMetrics } from "../plan/selected-metrics.js";
import { checkWorkingTree, findReleaseTags, type ReleaseTags, type TagOptions } from "../release/checkout-tags.js";
import { checkSite } from "../release/site.js";
import { refusedWords, updateRelease } from "../release/update.js";
import { RELEASE_BODY_LIMIT, renderNotes } from "../report/release/notes.js";
import { readResults } from "../results/read.js";
import { openDisplay } from "./display.js";
import { copyProfiles } from "./merged-profiles.js";
import { type ParsedCommand, repeatOf, textOf, withChosen } from "./options.js";
import { checkOutputFolder } from "./output-folder.js";
import { checkPlatform } from "./platform.js";
import { cliPath, type ProcessContext } from "./process-context.js";
import { againstPrevious } from "./release/against.js";
import { checkReleaseResults } from "./release/check-results.js";
import { type ReleaseFiles, writeReleaseFiles } from "./release/release-files.js";
import { findRepository, type Repository } from "./release/repository.js";
import { checkSiteUrl } from "./release/site-url.js";
import { ResultsWriter } from "./results-writer.js";
import { exitCodeOf } from "./run/exit-code.js";
import { planHead, planLatency } from "./run/head-plan.js";
import { parseBudget, parseDetect } from "./run/option-values.js";
import { checkProfileRows } from "./run/profile-rows.js";
import type { WrittenResults } from "./run/request.js";
import { run } from "./run/run.js";
import { readRunOptions } from "./run-options.js";
import { toolVersion } from "./version.js";

const OPTIONS: TagOptions = { tag: "--tag", previous: "--previous" };
/** Options that say nothing about what is measured. */
const ABOUT_RELEASE = ["tag", "previous", "site", "page-url", "results", "out", "fail-on"];
/** `run` refuses some of them without a base. */
const ABOUT_PAIRS = ["budget", "profile-rows"];
const UPDATE = "update-release";
const NOT_PUBLISHED = 1;

interface Asked {
  readonly tags: ReleaseTags;
  readonly out: string;
  readonly site: string | undefined;
  readonly siteUrl: string | undefined;
  readonly repository: Repository | undefined;
  /** Undefined: the release on GitHub stays as it is. */
  readonly update: { readonly repository: Repository; readonly token: string } | undefined;
}

interface Measured {
  readonly exitCode: number;
  readonly written: WrittenResults | undefined;
}

/** @throws InputError for wrong options, a tag that is not there, a working tree that is not the tag's */
export async function release(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  if (!parsed.values.has("results")) checkPlatform("release");
  const asked = await readAsked(parsed, context);
  for (const note of asked.tags.notes) context.stderr.write(`server-bench: note: ${note}\n`);
  const file = textOf(parsed, "results");
  const { exitCode, written } =
    file === undefined ? await measure(parsed, asked, context) : await takeResults(file, parsed, asked, context);
  // An interrupted run is no release's claim.
  if (!written || written.results.run.finishedAt === null) return exitCode;
  const files = await writeFiles(written, asked, await toolVersion(context.root));
  context.stdout.write(`Notes: ${files.notesPath}\nPage: ${files.pagePath}\n`);
  const published = await publishOnGitHub(files, asked, context);
  return published || exitCode !== 0 ? exitCode : NOT_PUBLISHED;
}

async function readAsked(parsed: ParsedCommand, context: ProcessContext): Promise<Asked> {
  const { cwd, env } = context;
  const tag = textOf(parsed, "tag");
  if (tag === undefined) throw new InputError("release needs a tag: release --tag TAG");
  const tags = await findReleaseTags({ tag, previous: textOf(parsed, "previous"), cwd, options: OPTIONS });
  const site = textOf(parsed, "site");
  const url = textOf(parsed, "page-url");
  const siteFolder = site === undefined ? undefined : resolve(cwd, site);
  if (siteFolder !== undefined) await checkSite(siteFolder, "--site");
  const repository = await findRepository(cwd, env);
  const { out } = readRunOptions(parsed, cwd);
  await checkOutputFolder(out, "--out");
  return {
    tags,
    out,
    site: siteFolder,
    repository,
    siteUrl: url === undefined ? undefined : checkSiteUrl(url, "--page-url"),
    update: parsed.flags.has(UPDATE) ? readUpdate(parsed, repository, env) : undefined,
  };
}

function readUpdate(
  parsed: ParsedCommand,
  repository: Repository | undefined,
  env: ProcessContext["env"],
): NonNullable<Asked["update"]> {
  const token = env.GITHUB_TOKEN || env.GH_TOKEN;
  if (!parsed.values.has("results"))
    throw new InputError(
      "--update-release needs --results FILE: servers that are measured could read the token; measure with release first, then run release --results FILE --update-release",
    );
  if (!token) throw new InputError("--update-release needs a token that can write releases, in GITHUB_TOKEN");
  if (!repository)
    throw new InputError("--update-release: the repository is not known: set GITHUB_REPOSITORY to owner/name");
  return { repository, token };
}

async function measure(parsed: ParsedCommand, { tags }: Asked, context: ProcessContext): Promise<Measured> {
  await checkWorkingTree(tags, context.cwd, OPTIONS);
  const display = openDisplay(context.stdout, context.env);
  const options = readRunOptions(parsed, context.cwd);
  const budget = textOf(parsed, "budget");
  const detect = textOf(parsed, "detect");
  const limits = {
    budgetMinutes: budget === undefined ? undefined : parseBudget(budget, "--budget"),
    latency: parsed.flags.has("latency") || (options.metrics ?? []).includes("latency"),
    precision: detect === undefined ? USUAL_PRECISION : parseDetect(detect, "--detect"),
  };
  const against = await againstPrevious(tags, context.cwd, limits);
  const planned = await planHead(options, COMMAND_LINE, context, display.setup);
  checkProfileRows(options.profileRows, planned.plan, "--profile-rows");
  const head = planLatency(planned, against, COMMAND_LINE);
  const command = repeatOf(withChosen(asRun(parsed, tags), planned.run, context.cwd), cliPath(context));
  const request = { ...planned.run, against, head, notes: planned.notes, command, tag: tags.tag };
  return await run(request, context, display);
}

/** The `run` that measures the same. */
function asRun(parsed: ParsedCommand, { previous }: ReleaseTags): ParsedCommand {
  const values = [...parsed.values].filter(([name]) => !ABOUT_RELEASE.includes(name)).flatMap(withoutLatency(previous));
  const base: [string, string[]][] = previous.kind === "found" ? [["base", [previous.tag]]] : [];
  const flags = [...parsed.flags].filter((name) => name !== UPDATE && (name !== "latency" || base.length > 0));
  const bounded = base.length > 0 ? values : values.filter(([name]) => !ABOUT_PAIRS.includes(name));
  return { ...parsed, name: "run", values: new Map([...bounded, ...base]), flags: new Set(flags) };
}

/** Only a comparison has a latency: `run --metrics latency` without a base is refused. */
function withoutLatency({ kind }: ReleaseTags["previous"]) {
  return ([name, values]: [string, readonly string[]]): [string, readonly string[]][] => {
    if (name !== "metrics" || kind === "found") return [[name, values]];
    const others = parseMetrics(values.join(), "--metrics").filter((metric) => metric !== "latency");
    return others.length === 0 ? [] : [[name, [others.join()]]];
  };
}

/** Nothing is measured: the results are those of an earlier `release`. */
async function takeResults(
  file: string,
  parsed: ParsedCommand,
  { tags, out }: Asked,
  context: ProcessContext,
): Promise<Measured> {
  const unused = [...parsed.values.keys(), ...parsed.flags].find((name) => ![...ABOUT_RELEASE, UPDATE].includes(name));
  if (unused !== undefined || parsed.positionals.length > 0)
    throw new InputError(
      `--results measures nothing, so that ${unused === undefined ? parsed.positionals[0] : `--${unused}`} has no meaning with it`,
    );
  const path = resolve(context.cwd, file);
  const results = await readResults(path);
  checkReleaseResults(results, tags, `--results ${file}`);
  const writer = new ResultsWriter(out, results);
  await writer.open();
  await copyProfiles([{ source: file, path, results }], out);
  await writer.finish({});
  const { failOn } = readRunOptions(parsed, context.cwd);
  return { exitCode: exitCodeOf(writer.results, failOn), written: writer };
}

async function writeFiles(
  written: WrittenResults,
  { tags, site, siteUrl, repository }: Asked,
  version: string,
): Promise<ReleaseFiles> {
  const { tag, previous } = tags;
  const compared = written.results.comparison !== undefined && previous.kind === "found" ? previous.tag : undefined;
  const where = {
    repository: repository === undefined ? "" : `${repository.owner}/${repository.repo}`,
    serverUrl: repository?.serverUrl ?? "",
    runUrl: "",
  };
  const release = { tag, previous: compared };
  return await writeReleaseFiles(written, { release, where, site, siteUrl, toolVersion: version });
}

/** @returns whether all was published that was asked for, the folder of all releases included */
async function publishOnGitHub(files: ReleaseFiles, asked: Asked, context: ProcessContext): Promise<boolean> {
  const { unpublished } = files;
  if (unpublished === undefined) return asked.update === undefined || (await update(files, asked.update, context));
  if (asked.update === undefined && asked.site === undefined) return true;
  context.stderr.write(`server-bench: ${asked.tags.tag} was not published: ${unpublished}\n`);
  return false;
}

/** @returns whether the release has the notes now */
async function update(
  { facts, files }: ReleaseFiles,
  { repository, token }: NonNullable<Asked["update"]>,
  context: ProcessContext,
): Promise<boolean> {
  const log = (line: string) => void context.stderr.write(`server-bench: ${line}\n`);
  const github = openGitHub(repository, token, log, { version: await toolVersion(context.root) });
  const { tag } = facts.release;
  const render = (limit: number, attached: readonly string[]) => renderNotes({ ...facts, attached }, limit);
  const updated = await updateRelease(github, { tag, render, limit: RELEASE_BODY_LIMIT, files });
  if (updated.state === "refused") {
    const { what, why } = refusedWords(updated);
    log(`the ${what}: ${why}`);
    return false;
  }
  context.stdout.write(`${updated.draft ? "Draft" : "Release"} ${updated.state}: ${updated.url}\n`);
  if (updated.files.state === "not-attached") log(updated.files.reason);
  else context.stdout.write(`Attached: ${updated.files.names.join(", ")}\n`);
  return true;
}

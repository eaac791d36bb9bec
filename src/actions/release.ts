/**
 * `command: release`: compares a release with the one before it, and writes a page and notes. One job can measure with a token
 * that only reads. Another job then takes its results and writes the release. It runs none of the measured code.
 */
import { openDisplay } from "../commands/display.js";
import { checkOutputFolder } from "../commands/output-folder.js";
import { checkPlatform } from "../commands/platform.js";
import { againstPrevious } from "../commands/release/against.js";
import { checkReleaseResults } from "../commands/release/check-results.js";
import { ResultsWriter } from "../commands/results-writer.js";
import { exitCodeOf } from "../commands/run/exit-code.js";
import { planHead, planLatency } from "../commands/run/head-plan.js";
import type { RunRequest } from "../commands/run/request.js";
import { run } from "../commands/run/run.js";
import { InputError, SetupError } from "../errors.js";
import { nameSome } from "../messages/sentence.js";
import { checkWorkingTree, findReleaseTags, type TagOptions } from "../release/checkout-tags.js";
import { checkSite } from "../release/site.js";
import type { Release } from "../report/release/notes.js";
import { type ActionContext, withoutCommands } from "./context.js";
import { fetchAll, mergeFetched, sourceOf } from "./fetch-results.js";
import { finishInPeace } from "./finish-in-peace.js";
import { INPUT_NAMES } from "./inputs.js";
import type { Finished, Published } from "./publish.js";
import { publishRelease } from "./publish-release.js";
import { repeatCommands, typedOptions } from "./repeat-command.js";
import { uploadingIfStopped } from "./upload-stopped.js";
import { withoutCredentials } from "./without-credentials.js";

const OPTIONS: TagOptions = { tag: "tag", previous: "previous-tag" };

interface Measured {
  readonly finished: Finished;
  readonly release: Release;
  /** Another job of this run measured and uploaded the results. */
  readonly uploaded: boolean;
}

export async function releaseAction(action: ActionContext): Promise<Published> {
  const { inputs } = action;
  if (inputs.release.measure) checkPlatform("command: release");
  const tag = tagOf(action);
  await checkOutputFolder(inputs.run.out, "out");
  if (inputs.release.site !== undefined) await checkSite(inputs.release.site, "site");
  const measured = inputs.release.measure ? await measure(action, tag) : await takeResults(action, tag);
  return await finishInPeace(action.log, (cancelled) => publishRelease(action, measured, cancelled));
}

/** @throws InputError without a tag, and on events whose code is no release */
function tagOf({ inputs, job }: ActionContext): string {
  if (job?.event.kind === "pull_request" || job?.event.kind === "workflow_run")
    throw new InputError(
      `command: release is not for ${job.event.kind} runs: their code is no release; start it on a tag, a release or by hand`,
    );
  const tag = inputs.release.tag ?? job?.tag;
  if (tag !== undefined) return tag;
  throw new InputError("command: release needs a tag: give the input tag, or start the workflow on a tag or a release");
}

async function measure(action: ActionContext, tag: string): Promise<Measured> {
  checkPlatform("command: release");
  const { inputs, context, log } = action;
  const { cwd } = context;
  const tags = await findReleaseTags({ tag, previous: inputs.release.previous, cwd, options: OPTIONS });
  for (const note of tags.notes) log(`note ${note}`);
  await checkWorkingTree(tags, cwd, OPTIONS);
  const { previous } = tags;
  const outcome = await uploadingIfStopped(action, (stopped) =>
    withoutCommands(context, async () => {
      const display = openDisplay(context.stdout, context.env);
      const planned = await planHead(inputs.run, INPUT_NAMES, context, display.setup);
      const against = await againstPrevious(tags, cwd, inputs.compare);
      const commands = repeatCommands(typedOptions(planned.run, action), against);
      const head = planLatency(planned, against, INPUT_NAMES);
      const request: RunRequest = { ...planned.run, against, head, notes: planned.notes, ...commands, tag };
      return await withoutCredentials(cwd, log, () => run(request, context, display, { stopped }));
    }),
  );
  if (!outcome.written) throw new SetupError("interrupted before anything was measured");
  const compared = outcome.written.results.comparison !== undefined && previous.kind === "found";
  return {
    finished: { ...outcome.written, exitCode: outcome.exitCode },
    release: { tag, previous: compared ? previous.tag : undefined },
    uploaded: false,
  };
}

/** Takes the results of this run's jobs that measured. Nothing is checked out: the event names the commit. */
async function takeResults(action: ActionContext, tag: string): Promise<Measured> {
  const { job, github, inputs, log } = action;
  if (!job || !github)
    throw new InputError(
      "measure: false takes results of this run from GitHub, which needs a job there and the input token",
    );
  if (tag !== job.tag)
    throw new InputError(
      `tag ${tag}: with measure: false it must be the tag that started this run (${job.tag ?? "none"})`,
    );
  const source = sourceOf(job, inputs);
  const fetched = await fetchAll(github, source, log);
  if (fetched.parts.length === 0)
    throw new SetupError(`no results of ${tag}: ${fetched.problems[0] ?? "no job of this run uploaded results"}`);
  if (fetched.unread.length > 0)
    throw new SetupError(
      `not read: ${nameSome(fetched.unread.map(({ name }) => name))}. The log has the reason. Run this job again.`,
    );
  if (fetched.mixedUp.length > 0) throw new SetupError(fetched.mixedUp.join("; "));
  const results = mergeFetched(fetched, log);
  const previous = inputs.release.previous;
  const release = checkReleaseResults(results, { tag, sha: job.sha, previous: undefined }, "the results of this run");
  if (previous !== undefined && release.previous !== previous)
    throw new InputError(
      `previous-tag ${previous}: this run's results are compared with ${release.previous ?? "nothing"}`,
    );
  const writer = new ResultsWriter(inputs.run.out, results);
  await writer.open();
  await writer.finish({ warnings: [...results.run.warnings, ...fetched.problems] });
  const { resultsPath, reportPath } = writer;
  const exitCode = exitCodeOf(writer.results, inputs.run.failOn);
  return {
    finished: { results: writer.results, resultsPath, reportPath, exitCode },
    release,
    uploaded: !fetched.sharded,
  };
}

/** The last stage of a run in pairs: where the time of changed rows went. A failure here is a reason in the report, no more. */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { profiledFunctions, samplesOf } from "../../compare/profile.js";
import { formatStacks } from "../../compare/profile-stacks.js";
import { messageOf } from "../../errors.js";
import type { PairContext } from "../../measure/pairs/pair.js";
import { prepareSides } from "../../measure/preparation/prepared-sides.js";
import {
  PROCESSES,
  profileRow,
  type RowSamples,
  type SideProfile,
  throughputsOf,
} from "../../measure/profile/profile-row.js";
import { nameSome, plural } from "../../messages/sentence.js";
import { rowsOf } from "../../plan/plan.js";
import { providePySpy } from "../../provision/tools/py-spy.js";
import type { Tool } from "../../provision/types.js";
import { replaceFile } from "../../replace-file.js";
import { PROFILES_FOLDER, profileFiles } from "../../report/profile/files.js";
import { speedscopeText } from "../../report/profile/speedscope.js";
import { profileLine } from "../../report/profile/text.js";
import { coarse } from "../../report/text/format.js";
import type { RowProfile } from "../../results/profile.js";
import type { PairedTarget } from "./paired-running.js";
import { LEFT_OUT, notProfiled, type ProfileRows, rowsToProfile } from "./profile-rows.js";
import type { RunState } from "./run-state.js";

type Context = Pick<PairContext, "run" | "cpus" | "generators" | "filesDir" | "env">;

/** Samples rows that were measured in pairs. @throws the run's abort reason */
export async function profileRows(
  rows: readonly PairedTarget[],
  asked: ProfileRows,
  context: Context,
  state: RunState,
): Promise<void> {
  const { sampled, leftOut } = rowsToProfile(rows, asked);
  const { writer, display, plan } = state;
  const missed = notProfiled(rowsOf(plan), rows, asked);
  if (missed.length > 0) display.line(`note   not profiled, because they have no whole pairs: ${nameSome(missed)}`);
  const put = async (profile: RowProfile): Promise<void> => {
    await writer.addProfile(profile);
    display.line(profileLine(profile));
  };
  if (sampled.length > 0) {
    display.line(announcement(sampled.length));
    const sampler = await provideSampler(state);
    for (const row of sampled) {
      if (typeof sampler === "string") await put(failedProfile(row, sampler));
      else await put(await profileOne(row, sampler, context, state));
    }
  }
  for (const row of leftOut) await put(failedProfile(row, LEFT_OUT));
}

/** Of a row on two CPUs; twice as long where it works in a pool of threads. */
const ROW_SEC = 50;

function announcement(rows: number): string {
  return `where the time of ${plural(rows, "benchmark")} went: about ${coarse(rows * ROW_SEC)}`;
}

/** @returns why there is none, where it cannot be installed */
async function provideSampler({ session, context, display }: RunState): Promise<Tool | string> {
  try {
    return await providePySpy({ run: session.context, env: context.env, progress: display.setup });
  } catch (error) {
    session.context.signal.throwIfAborted();
    return messageOf(error);
  }
}

/** What goes wrong after the pairs, or what the app's names make wrong, must not cost the verdicts. */
async function profileOne(target: PairedTarget, sampler: Tool, context: Context, state: RunState): Promise<RowProfile> {
  try {
    return await sampleRow(target, sampler, context, state);
  } catch (error) {
    context.run.signal.throwIfAborted();
    return failedProfile(target, messageOf(error));
  }
}

async function sampleRow(target: PairedTarget, sampler: Tool, context: Context, state: RunState): Promise<RowProfile> {
  const { sides, connections, compared } = target;
  const { display, writer } = state;
  display.profileStarted(sides.head.row);
  const prepared = await prepareSides(sides, context);
  if (prepared.state === "failed") return failedProfile(target, `${prepared.side}: ${prepared.reason}`);
  await using _ = prepared;
  const samples = await profileRow(prepared.sides, {
    ...context,
    connections,
    cpus: prepared.cpus,
    sampler,
    throughputs: throughputsOf(compared.recorded ?? []),
    onPhase: (phase) => display.phase(phase, connections),
  });
  if (samples.state === "failed") return failedProfile(target, samples.reason);
  const profile = sampledProfile(target, sampler, samples);
  await writeFiles(dirname(writer.resultsPath), profile, samples);
  return profile;
}

function failedProfile({ sides, connections }: PairedTarget, reason: string): RowProfile {
  return { state: "failed", id: sides.head.row.id, connections, reason };
}

type Sampled = Extract<RowSamples, { readonly state: "sampled" }>;
type SampledRow = Extract<RowProfile, { readonly state: "sampled" }>;

function sampledProfile(target: PairedTarget, sampler: Tool, { sides, ratePerSec }: Sampled): SampledRow {
  const { id } = target.sides.head.row;
  const { connections } = target;
  const [base, head] = [sideFields(sides.base), sideFields(sides.head)];
  return {
    state: "sampled",
    id,
    connections,
    ...(ratePerSec === undefined ? {} : { ratePerSec }),
    sampler: `py-spy ${sampler.version}`,
    base,
    head,
    functions: profiledFunctions({ base, head }, { base: sides.base.stacks, head: sides.head.stacks }),
  };
}

function sideFields({ stacks, requests, cpuSec }: SideProfile) {
  return { processes: PROCESSES, samples: samplesOf(stacks), requests, cpuPerRequestUs: (cpuSec / requests) * 1e6 };
}

async function writeFiles(out: string, profile: SampledRow, { sides }: Sampled): Promise<void> {
  const files = profileFiles(profile);
  await mkdir(join(out, PROFILES_FOLDER), { recursive: true });
  await replaceFile(join(out, files.base), formatStacks(sides.base.stacks));
  await replaceFile(join(out, files.head), formatStacks(sides.head.stacks));
  const stacks = { base: sides.base.stacks, head: sides.head.stacks };
  await replaceFile(join(out, files.speedscope), speedscopeText(profile, stacks));
}

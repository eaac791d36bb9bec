/** Whole runs of the command line between two clean builds of the same code: every `better` or `worse` is false. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readResults } from "../../src/results/read.js";
import { privateCache } from "../record/private-cache.js";
import { wholeRun } from "../whole-run.js";
import { downloadSource, Repository } from "./repository.js";
import type { LiveRun } from "./runs.js";

export interface LiveOptions {
  readonly root: string;
  /** In servers.yml, and the name of its Python package; it speaks ASGI. */
  readonly server: string;
  /** A folder with its source, or a requirement such as `uvicorn==0.54.0` whose source distribution is downloaded. */
  readonly source: { readonly folder: string } | { readonly requirement: string };
  readonly runs: number;
  readonly out: string;
  readonly say: (line: string) => void;
}

/** Of the results of a run that compared nothing. */
const WHY_CHARS = 4000;

/** Each run takes the machine's lock itself. */
export async function live(options: LiveOptions): Promise<void> {
  const { source, server, out, say } = options;
  const folder = await mkdtemp(join(tmpdir(), "server-bench-live-"));
  try {
    const repository = await makeRepository(join(folder, "repository"), server, source);
    const env = await privateCache(join(folder, "cache"), process.env);
    const runs: LiveRun[] = [];
    for (let number = 1; number <= options.runs; number += 1) {
      await repository.commitSides(number);
      const run = await oneRun(repository, { ...options, folder, env });
      runs.push(run);
      await writeFile(out, `${JSON.stringify(runs, null, 2)}\n`);
      say(`${number} of ${options.runs} runs: ${run.rows.map((row) => `${row.verdict}, ${row.seconds.toFixed(0)} s`)}`);
      // Two environments a run would fill the disk.
      await rm(join(folder, "cache/environments"), { recursive: true, force: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeRepository(folder: string, server: string, source: LiveOptions["source"]): Promise<Repository> {
  if ("folder" in source) return Repository.create(folder, source.folder, server);
  await using downloaded = await downloadSource(source.requirement);
  return await Repository.create(folder, downloaded.folder, server);
}

async function oneRun(
  { folder: cwd }: Repository,
  { root, server, folder, env }: LiveOptions & { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<LiveRun> {
  const out = join(folder, "out");
  await rm(out, { recursive: true, force: true });
  const sides = ["--server", `${server}=.`, "--base", "HEAD~1"];
  const options = ["--scenarios", "bench", ...sides, "--profile-rows", "none", "--out", out];
  const args = [join(root, "dist/cli.js"), "run", "live", ...options];
  await wholeRun(args, { cwd, env });
  const { run, comparison, sets } = await readResults(join(out, "results.json"));
  if (!comparison || comparison.rows.length === 0)
    throw new Error(`run live compared no row: ${JSON.stringify({ comparison, sets }).slice(0, WHY_CHARS)}`);
  return {
    startedAt: run.startedAt,
    measuredSec: run.measuredSec,
    loadShare: run.loadShare,
    sides: `two builds of ${server}'s source`,
    rows: comparison.rows.map(({ id, verdict, seconds, recorded = [], notes }) => ({
      id,
      verdict,
      seconds,
      pairs: recorded.length,
      ...(notes && { notes }),
    })),
  };
}

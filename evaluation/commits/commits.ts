/**
 * Real commits, each beside its parent: the verdicts of one timed run, and the instructions that Valgrind counts in the same run. Counts hardly
 * have noise, so they show what the verdicts on time should be.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readResults } from "../../src/results/read.js";
import { git, writeBench } from "../live/repository.js";
import { privateCache } from "../record/private-cache.js";
import { wholeRun } from "../whole-run.js";
import { METRICS_OF_COMMITS, type MeasuredCommit } from "./measured-commit.js";

export interface CommitsOptions {
  readonly root: string;
  /** In servers.yml; it speaks ASGI. */
  readonly server: string;
  /** A clone with its history. */
  readonly source: string;
  readonly commits: readonly string[];
  readonly out: string;
  readonly say: (line: string) => void;
}

/** Each run takes the machine's lock itself. A commit whose run fails is kept with the reason. @throws for a commit that the clone lacks; the file has those before it */
export async function measureCommits(options: CommitsOptions): Promise<void> {
  const { commits, out, say } = options;
  const folder = await mkdtemp(join(tmpdir(), "server-bench-commits-"));
  try {
    const env = await privateCache(join(folder, "cache"), process.env);
    const measured: MeasuredCommit[] = [];
    for (const commit of commits) {
      const one = await measureCommit(commit, { ...options, folder, env });
      measured.push(one);
      await writeFile(out, `${JSON.stringify(measured, null, 2)}\n`);
      say(`${measured.length} of ${commits.length}: ${one.commit} ${one.subject}: ${one.reason ?? verdictsOf(one)}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function verdictsOf({ metrics }: MeasuredCommit): string {
  return METRICS_OF_COMMITS.map((name) => `${name} ${metrics[name]?.verdict ?? "none"}`).join(", ");
}

async function measureCommit(
  commit: string,
  options: CommitsOptions & { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<MeasuredCommit> {
  const { root, server, source, folder, env } = options;
  const cwd = join(folder, "checkout");
  const out = join(folder, "out");
  for (const each of [cwd, out]) await rm(each, { recursive: true, force: true });
  await git(folder, "clone", "--quiet", "--shared", source, cwd);
  await git(cwd, "checkout", "--quiet", "--detach", commit);
  const [sha = commit, subject = ""] = (await git(cwd, "log", "-1", "--format=%h%n%s")).split("\n");
  await writeBench(cwd, server);
  const sides = ["--server", `${server}=.`, "--base", `${commit}~1`];
  const metrics = ["--metrics", "throughput,cpu,instructions", "--profile-rows", "none"];
  const args = [join(root, "dist/cli.js"), "run", "live", "--scenarios", "bench", ...sides, ...metrics, "--out", out];
  const none = { commit: sha, subject, metrics: {}, pairs: 0, seconds: 0 };
  try {
    await wholeRun(args, { cwd, env });
  } catch (error) {
    return { ...none, reason: String(error) };
  }
  const { comparison } = await readResults(join(out, "results.json"));
  const row = comparison?.rows[0];
  if (row === undefined) return { ...none, reason: "its row was not compared" };
  return {
    ...none,
    pairs: row.recorded?.length ?? 0,
    seconds: row.seconds,
    metrics: Object.fromEntries(
      METRICS_OF_COMMITS.flatMap((name) => {
        const metric = row.metrics[name];
        if (metric === undefined) return [];
        const { verdict, change, interval } = metric;
        return [[name, { verdict, change, interval }]];
      }),
    ),
  };
}

/** What a comment is made of: compared rows with known verdicts, and the facts around them. */
import { planRun } from "../../src/plan/plan.js";
import type { CommentFacts } from "../../src/report/comment/facts.js";
import type { Origin } from "../../src/report/repeat/origin.js";
import type { Trust } from "../../src/report/trust/trust.js";
import type {
  ComparedRow,
  Comparison,
  MetricComparison,
  UncomparedRow,
  Verdict,
} from "../../src/results/comparison.js";
import type { Results } from "../../src/results/schema.js";
import { SHA } from "./hostile.js";
import { completed, granian, resultsOf, sampleResults } from "./results.js";
import { ROOT } from "./root.js";

export const HEAD_SHA = "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678";
/** GitHub's merge of head into base, which is what a job checks out. */
export const MERGE_SHA = "c3d4e5f60718293a4b5c6d7e8f901234567890ab";
export const ORIGIN: Origin = {
  tool: { repository: "org/server-bench", ref: "v0.1.0" },
  serverUrl: "https://github.com",
  repository: "octo/app",
  workspace: "/home/runner/work/app/app",
};
export const PLACE: CommentFacts["where"] = {
  repository: "octo/app",
  serverUrl: "https://github.com",
  runUrl: "https://github.com/octo/app/actions/runs/77",
  artifactUrl: "https://github.com/octo/app/actions/runs/77/artifacts/5",
  headSha: HEAD_SHA,
};

function metric(verdict: Verdict, change: number, base: number): MetricComparison {
  const interval: [number, number] = [change - 0.012, change + 0.012];
  return { verdict, change, p: 0.001, minimumDetectable: 0.041, pairs: 8, interval, base, head: base * (1 + change) };
}

const titleOf = (id: string) => id.split("/").at(-1) ?? id;

export function compared(id: string, verdict: Verdict, change: Partial<ComparedRow> = {}): ComparedRow {
  const size = verdict.endsWith("worse") ? -0.07 : verdict.endsWith("better") ? 0.05 : 0.002;
  const metrics = {
    throughput: metric(verdict, size, 20_153),
    cpuPerRequest: metric(verdict === "worse" ? "inconclusive" : verdict, -size, 49.41),
  };
  return { id, connections: 256, title: titleOf(id), verdict, seconds: 36, metrics, ...change };
}

export function notCompared(id: string, kind: UncomparedRow["kind"], reason?: string): UncomparedRow {
  return { kind, id, connections: 256, title: titleOf(id), ...(reason !== undefined && { reason }) };
}

export function comparison(rows: readonly ComparedRow[], change: Partial<Comparison> = {}): Comparison {
  const command = ["server-bench", "run", "interfaces", "--base", "main"];
  return { mode: "paired", base: { ref: "main", sha: SHA }, rows: [...rows], command, ...change };
}

export function facts(results: Results, change: Partial<CommentFacts> = {}): CommentFacts {
  return { results, trust: { kind: "own" }, where: PLACE, ...change };
}

/** Two rows that changed, one that failed in head, and every other kind of row. */
export function sampleFacts(change: Partial<CommentFacts> = {}): CommentFacts {
  const rows = [
    compared("interfaces/asgi-echo", "better", { title: "ASGI echo", connections: 64 }),
    compared("interfaces/rsgi-bytes", "worse", {
      title: "RSGI bytes",
      notes: ["12 failed requests in head, none in base"],
    }),
    compared("cpu-bound/flask-dev", "inconclusive", { title: "Flask dev server", connections: 100 }),
    compared("concurrency/asgi-workers-1", "unchanged", { title: "workers" }),
    compared("concurrency/asgi-workers-2", "unchanged", { title: "workers" }),
  ];
  const of = comparison(rows, {
    notCompared: [
      { ...notCompared("interfaces/rsgi-str", "failed-in-head", "the server ended with code 1"), title: "RSGI str" },
      { ...notCompared("interfaces/wsgi-echo", "new"), title: "WSGI echo" },
      { ...notCompared("interfaces/gone", "removed"), title: "WSGI str" },
      {
        ...notCompared("interfaces/other", "cannot-have-changed", "the same packages on both sides"),
        title: "RSGI file",
      },
    ],
    controls: [compared("interfaces/pinned", "inconclusive", { title: "Uvicorn bytes" })],
  });
  const sample = sampleResults();
  const git = { sha: MERGE_SHA, ref: "refs/pull/7/merge" };
  return facts({ ...sample, run: { ...sample.run, git }, comparison: of }, { origin: ORIGIN, ...change });
}

/** Results of a pull request's run, whose rows and servers the default branch has too. */
export function pullRequestTrust(state: "claimed" | "verified", of: Results = sampleFacts().results): Trust {
  const { cases, comparison, furtherMetrics = [] } = of;
  const compared = [...(comparison?.rows ?? []), ...(comparison?.controls ?? []), ...(comparison?.notCompared ?? [])];
  const names = {
    rows: new Set([...cases, ...furtherMetrics, ...compared].map(({ id }) => id)),
    servers: new Set(cases.map(({ server }) => server.name)),
  };
  return { kind: "pull-request-run", head: state, base: state, names };
}

/** All rows of the built-in sets, measured; compared where a verdict is given for them. */
export async function builtInResults(verdictOf?: (id: string) => Verdict): Promise<Results> {
  const { sets } = await planRun({ root: ROOT, cwd: "/", selectors: [], profile: "standard", cores: 4 });
  const rows = sets.flatMap((set) => set.rows);
  const cases = rows.flatMap((row) =>
    row.connections.map((connections, i) =>
      completed(row.id, row.title, connections, 10_000 - i, {
        knobs: { ...row.knobs },
        server: { ...granian, name: row.server.name, title: row.server.title, interface: row.server.interface },
        ...(row.group === undefined ? {} : { group: row.group }),
      }),
    ),
  );
  const infos = JSON.parse(JSON.stringify(sets.map(({ rows: _, ...info }) => info)));
  const results = resultsOf(cases, { sets: infos });
  if (!verdictOf) return results;
  return {
    ...results,
    comparison: comparison(
      rows.map(({ id, title, connections: [connections = 1] }) => compared(id, verdictOf(id), { title, connections })),
    ),
  };
}

/** The next text at every place that a pull request can write to. */
export function hostileFacts(next: () => string): CommentFacts {
  const { results } = sampleFacts();
  const rows = (results.comparison?.rows ?? []).map((row) => ({ ...row, id: next(), title: next(), notes: [next()] }));
  const startedAt = "2025-01-03T02:28:11Z";
  const base = { sha: next(), ref: next(), machine: next(), fingerprint: next(), newest: startedAt, runUrl: next() };
  const packages = () => ({ title: next(), version: next(), command: [next()], packages: [next()], name: next() });
  const missing = [{ shard: next(), reason: next(), rows: [next()] }];
  const git = { sha: next(), ref: next() };
  const run = { git, command: [next()], warnings: [next()], tool: { version: next() }, missing };
  const python = { python: next(), loadGenerators: { [next()]: next() } };
  // One of each kind: completed, failed, skipped, and in a group.
  const cases = results.cases.filter((_, i) => [0, 1, 5, 6, 14].includes(i));
  return {
    results: {
      ...results,
      run: { ...results.run, ...run },
      environment: { ...results.environment, cpuModel: next(), os: next(), ...python },
      sets: results.sets.map((set) => ({ ...set, title: next(), label: next(), knobColumns: { [next()]: "workers" } })),
      cases: cases.map((result) => ({
        ...result,
        title: next(),
        server: { ...result.server, ...packages() },
        ...(result.state === "completed" ? {} : { reason: next() }),
        ...(result.state === "failed" ? { log: next() } : {}),
        ...(result.group === undefined ? {} : { group: next() }),
      })) as Results["cases"],
      comparison: {
        ...comparison(rows, { base, notes: [next()], command: [next()], controls: rows.slice(0, 1) }),
        notCompared: (results.comparison?.notCompared ?? []).map((row) => ({
          ...row,
          id: next(),
          title: next(),
          reason: next(),
        })),
        runs: [{ source: next(), id: next(), startedAt, sha: next(), leftOut: next() }],
        anchor: { servers: [next()], rows: [next()], day: { [next()]: 0.1 } },
      },
    },
    trust: { kind: "own" },
    where: PLACE,
    notes: [next()],
  };
}

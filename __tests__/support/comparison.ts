/** A comparison with every kind of row: three base runs and a head, a pinned server beside the one under test. */
import { compareStored } from "../../src/compare/stored.js";
import type { CaseResult, Results } from "../../src/results/schema.js";
import { completed, failed, granian, resultsOf, sampleResults, serverNamed } from "./results.js";

const uvicorn = serverNamed("uvicorn", { version: "0.54.0", packages: ["uvicorn==0.54.0"] });

/** @param speed of the day @param wobble of this run, relative, a different share of it in every row */
function rowsOf(speed: number, wobble: number, version: string): CaseResult[] {
  const server = { ...granian, version, packages: [`granian==${version}`] };
  const row = (slug: string, title: string, rate: number, share: number) => {
    const factor = speed * (1 + wobble * share);
    const cpuPerRequestUs = 1e6 / rate / (speed * (1 + (wobble * share) / 3));
    return completed(`interfaces/${slug}`, title, 64, rate * factor, { server, summary: { cpuPerRequestUs } });
  };
  return [
    { ...row("pinned", "Uvicorn bytes", 30_000, 0.3), server: uvicorn },
    row("steady", "RSGI bytes", 60_000, -0.2),
    row("slower", "RSGI echo", 50_000, 0.4),
    row("faster", "ASGI echo", 40_000, -0.3),
  ];
}

function scaled(result: CaseResult | undefined, factor: number): CaseResult[] {
  if (result?.state !== "completed") return [];
  const { requestsPerSec, cpuPerRequestUs } = result.summary;
  const summary = {
    ...result.summary,
    requestsPerSec: requestsPerSec * factor,
    cpuPerRequestUs: cpuPerRequestUs / factor,
  };
  return [{ ...result, summary }];
}

export function runOn(day: number, cases: readonly CaseResult[], change: Partial<Results["run"]> = {}): Results {
  const startedAt = `2025-01-${String(day).padStart(2, "0")}T02:28:11Z`;
  const finishedAt = startedAt.replace("02:28", "02:33");
  const run = { ...sampleResults().run, id: `day-${day}`, startedAt, finishedAt, warnings: [], ...change };
  return resultsOf(cases, { run });
}

export function baseRuns(): { source: string; results: Results }[] {
  return [0.01, -0.012, 0.004].map((wobble, i) => ({
    source: `history/${i + 1}.json`,
    results: runOn(i + 1, [
      ...rowsOf(1, wobble, "2.7.0"),
      completed("interfaces/bound", "RSGI str", 256, 90_000, { summary: { clientBound: true } }),
      completed("interfaces/broken", "WSGI echo", 64, 9000),
      failed("interfaces/mended", "WSGI bytes", 64, { reason: "the server ended with code 1" }),
      completed("interfaces/other", "RSGI file", 64, 9000, { knobs: { workers: 1 } }),
      completed("interfaces/gone", "ASGI str", 64, 9000),
    ]),
  }));
}

/** Measured on a day that is 4 % slower. */
export function headRun(): Results {
  const [pinned, steady, slower, faster] = rowsOf(0.96, 0.002, "2.8.0");
  return runOn(9, [
    ...scaled(pinned, 1),
    ...scaled(steady, 1.001),
    ...scaled(slower, 0.8),
    ...scaled(faster, 1.25),
    completed("interfaces/bound", "RSGI str", 256, 86_000, { summary: { clientBound: true } }),
    failed("interfaces/broken", "WSGI echo", 64),
    completed("interfaces/mended", "WSGI bytes", 64, 9000),
    completed("interfaces/other", "RSGI file", 64, 9000, { knobs: { workers: 2 } }),
    completed("interfaces/fresh", "RSGI stream", 64, 9000),
  ]);
}

export function sampleComparison(): Results {
  const head = headRun();
  const command = ["server-bench", "compare", "history/1.json", "history/2.json", "history/3.json", "head.json"];
  return { ...head, comparison: compareStored(baseRuns(), head, { anchors: ["uvicorn"], command }) };
}

/** Results that fill a page: pairs with known noise, every chart kind, and rows that are not like the others. */
import type { PairedRow } from "../../src/compare/paired.js";
import type { CaseResult, Results } from "../../src/results/schema.js";
import { notCompared } from "./comment.js";
import { SHA } from "./hostile.js";
import { seeded } from "./noise.js";
import { MEASURED_NOISE, noisyPair, pairedRow } from "./pairs.js";
import { completed, failed, interfacesSet, type SetInfo, sampleResults, serverNamed } from "./results.js";
import { comparisonOf } from "./shards.js";

const SERVERS = ["granian", "uvicorn", "hypercorn"] as const;
const INTERFACES = ["asgi", "rsgi", "wsgi"] as const;

function serverOf(i: number) {
  const spoken = INTERFACES[Math.floor(i / 2) % INTERFACES.length] ?? "asgi";
  return serverNamed(SERVERS[i % SERVERS.length] ?? "granian", { interface: spoken });
}

/** Natural logarithms: row i of a set needs so much more CPU time in head. */
const COSTS: readonly number[] = [0, 0, 0.07, 0, 0, -0.05, 0, 0, 0, 0];

function setInfo(name: string, title: string): SetInfo {
  return { ...interfacesSet, name, title };
}

const LADDER: SetInfo = {
  ...setInfo("ladder", "Connections"),
  methodology: ["Every row runs with 64, 128, 256 and 512 connections."],
};

const LADDER_CASES: readonly CaseResult[] = ["ASGI", "RSGI", "WSGI"].flatMap((title, i) =>
  [64, 128, 256, 512].map((connections, step) =>
    completed(
      `ladder/${title.toLowerCase()}`,
      title,
      connections,
      20_000 + 9000 * i + 6000 * step - 1800 * step * step,
      {
        server: serverOf(i),
      },
    ),
  ),
);

const MARKED_CASES: readonly CaseResult[] = [
  completed("marked/open", "RSGI bytes", 256, 90_119, { summary: { clientBound: true }, spread: 0.02 }),
  completed("marked/hatched", "ASGI echo", 256, 61_000, { disturbed: true, othersShare: 0.31, spread: 0.14 }),
  failed("marked/failed", "WSGI echo", 256, {
    log: "Traceback (most recent call last):\n  ModuleNotFoundError: orjson\n",
  }),
  completed("marked/usual", "RSGI echo", 256, 48_000, { spread: 0.03, server: serverOf(1) }),
];

const COMMAND = ["server-bench", "run", "paired-1", "--base", "main"];
const FAILED = { ...notCompared("marked/failed", "failed-in-head", "it ended"), title: "WSGI echo" };

/** @param sets of ten compared rows each */
export function pagedResults(sets = 2): Results {
  const random = seeded(11);
  const names = Array.from({ length: sets }, (_, i) => setInfo(`paired-${i + 1}`, `Paired ${i + 1}`));
  const rows = names.flatMap(({ name }, s) =>
    COSTS.map((cost, i): { readonly of: PairedRow; readonly case: CaseResult } => {
      const id = `${name}/row-${i + 1}`;
      const title = `Row ${i + 1} of a scenario`;
      const pairs = Array.from({ length: i % 3 === 0 ? 13 : 7 }, (_, pair) =>
        noisyPair(random, MEASURED_NOISE, s % 4 === 0 ? cost : 0, pair),
      );
      return {
        of: pairedRow(id, pairs, { title, ended: true }),
        case: completed(id, title, 64, 20_000 - 400 * i, { server: serverOf(i), spread: 0.01 + 0.002 * i }),
      };
    }),
  );
  const sample = sampleResults();
  return {
    ...sample,
    sets: [...names, setInfo("marked", "Marked rows"), LADDER, ...sample.sets],
    cases: [...rows.map((row) => row.case), ...MARKED_CASES, ...LADDER_CASES, ...sample.cases],
    comparison: comparisonOf(
      rows.map(({ of }) => of),
      { base: { ref: "main", sha: SHA }, uncompared: [FAILED], command: COMMAND },
    ),
  };
}

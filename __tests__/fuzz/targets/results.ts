/** Results and plan files: from an artifact of a run that executed a stranger's code. */
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import * as v from "valibot";
import { SetupError } from "../../../src/errors.js";
import { checkOwnResults, checkResults } from "../../../src/results/check.js";
import { fastValidator } from "../../../src/results/fast-validate.js";
import { formatResults } from "../../../src/results/layout.js";
import { parsePlanFile } from "../../../src/results/plan-file.js";
import { parseResults } from "../../../src/results/read.js";
import { type Results, resultsFile } from "../../../src/results/schema.js";
import { withinLimits } from "../../../src/results/within-limits.js";
import { writeResults } from "../../../src/results/write.js";
import { sampleFacts } from "../../support/comment.js";
import { sampleResults } from "../../support/results.js";
import { mutatedBytes, mutatedJson } from "../mutate.js";
import { hold, orTyped, type Target, Violation } from "../target.js";

export const SAMPLES: readonly unknown[] = [sampleResults(), sampleFacts().results];
const EARLIER: unknown = JSON.parse(readFileSync("__tests__/results/fixtures/results-v0.1.0.json", "utf8"));
const PLAN = {
  ...{ schema: "server-bench/plan", version: 1 },
  shards: [
    { shard: "1/2", name: "1-of-2", rows: ["interfaces/rsgi-bytes", "files/asgi"], minutes: 4.5 },
    { shard: "2/2", name: "2-of-2", rows: ["cpu-bound/flask-dev"], minutes: 3 },
  ],
};

const isExact = fastValidator(resultsFile);

function checkRead(input: Buffer): void {
  const results = orTyped(() => parseResults(input.toString("utf8"), "results.json"));
  if (results === undefined) return;
  holdSame(results, parseResults(formatResults(results), "results.json"), "written and read again, it is another file");
  hold(checkOwnResults(results).state === "valid", "what was read may not be written");
}

/** The quick check says yes only where valibot would give the same value back. */
function checkQuick(input: Buffer): void {
  const value = parsed(input);
  if (!isExact(value)) return;
  const slow = v.safeParse(resultsFile, value);
  hold(slow.success, "the quick check accepts what the schema refuses");
  holdSame(slow.output, value, "the quick check accepts what the schema changes");
}

/** After a write a folder has the old file or the new one, whole, and nothing else. */
async function checkWrite(input: Buffer): Promise<void> {
  const value = parsed(input);
  const folder = await mkdtemp(join(tmpdir(), "server-bench-fuzz-"));
  const file = join(folder, "results.json");
  try {
    await writeFile(file, "the file before");
    const valid = checkOwnResults(value).state === "valid";
    const failure = await writeResults(file, value as Results).then(
      () => undefined,
      (error: unknown) => error,
    );
    hold(!valid || failure === undefined, "a value that the check accepts is not written");
    if (failure !== undefined && !isRefusal(failure)) throw failure;
    const text = await readFile(file, "utf8");
    if (failure !== undefined) hold(text === "the file before", "a refused value changed the file");
    // Texts that are too long are cut.
    else
      holdSame(
        parseResults(text, file),
        checkedValue(valid ? value : withinLimits(value as Results)),
        "the file holds another value than was written",
      );
    hold((await readdir(folder)).length === 1, "the write left a file");
  } finally {
    await rm(folder, { recursive: true });
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof SetupError || (error instanceof Error && error.message.startsWith("refused to write"));
}

function checkedValue(value: unknown): unknown {
  const checked = checkResults(value);
  if (checked.state === "invalid") throw new Violation("not valid");
  return checked.results;
}

function parsed(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString("utf8"));
  } catch {
    return undefined;
  }
}

function holdSame(a: unknown, b: unknown, rule: string): void {
  // As text: -0 is 0 in a file, and a field that is undefined is not in it.
  hold(isDeepStrictEqual(a, b) || JSON.stringify(a) === JSON.stringify(b), rule);
}

function checkPlan(input: Buffer): void {
  const plan = orTyped(() => parsePlanFile(input.toString("utf8"), "plan.json"));
  if (plan === undefined) return;
  const rows = plan.shards.flatMap((shard) => shard.rows);
  hold(new Set(rows).size === rows.length, "a row is in two shards");
  hold(
    plan.shards.every(({ minutes }) => Number.isFinite(minutes) && minutes >= 0),
    "minutes are no time",
  );
}

const values = mutatedJson([...SAMPLES, EARLIER]);
const bytes = mutatedBytes([...SAMPLES, EARLIER].map((value) => JSON.stringify(value)));

export const resultsTargets: readonly Target[] = [
  { name: "results-values", share: 10, inputs: values, check: checkRead },
  { name: "results-bytes", share: 10, inputs: bytes, check: checkRead },
  { name: "results-quick-check", share: 6, inputs: values, check: checkQuick },
  { name: "results-write", share: 3, inputs: mutatedJson(SAMPLES, 2), check: checkWrite },
  {
    name: "plan",
    share: 6,
    inputs: fc.oneof(mutatedJson([PLAN]), mutatedBytes([JSON.stringify(PLAN)])),
    check: checkPlan,
  },
];

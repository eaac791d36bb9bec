/**
 * Fuzzes what reads data from outside:
 *   npm run fuzz [-- --cases N] [--seed S] [--target NAME] [--processes N] [--limit-sec N]
 * The same seed gives the same cases. An input that fails is written to a folder that the last lines name: mend the
 * reader, and put the input into __tests__/fuzz/corpus/TARGET/.
 */
import { fork } from "node:child_process";
import { rmSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundleForNode } from "../../scripts/bundle.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Without a message from a process; a case that takes longer than its limit is a finding already. */
const HANG_MS = 180_000;

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    target: { type: "string" },
    processes: { type: "string", default: "2" },
    // CPU seconds of one case.
    "limit-sec": { type: "string", default: "1" },
  },
});
const [cases, seed, processes, limitSec] = ["cases", "seed", "processes", "limit-sec"].map((name) => {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name}: expected a whole number from 1`);
  return number;
});

const temp = await mkdtemp(join(tmpdir(), "server-bench-fuzz-run-"));
const children = new Set();
/** Whoever ends this process ends its children, and then nothing of it stays. */
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(temp, { recursive: true, force: true });
    process.exit(1);
  });
const found = join(tmpdir(), `server-bench-fuzz-found-${seed}`);
try {
  const entry = await bundle();
  const started = performance.now();
  const parts = await Promise.all(Array.from({ length: processes }, (_, part) => runPart(entry, part)));
  await report(parts.flat(), (performance.now() - started) / 1000);
} finally {
  await rm(temp, { recursive: true, force: true });
}

async function bundle() {
  const entry = join(temp, "entry.mjs");
  const contents = 'import { main } from "./__tests__/fuzz/worker.ts"; await main(JSON.parse(process.argv[2]));';
  await bundleForNode({ stdin: { contents, resolveDir: root } }, entry);
  return entry;
}

function runPart(entry, part) {
  const inputFile = join(temp, `input-${part}`);
  const work = {
    cases: Math.ceil(cases / processes),
    seed: seed * 100 + part,
    limitSec,
    inputFile,
    target: values.target,
  };
  return new Promise((resolve, reject) => {
    const outcomes = [];
    let target = "";
    // What a case leaves in the folder of temporary files goes with this run.
    const child = fork(entry, [JSON.stringify(work)], { cwd: root, env: { ...process.env, TMPDIR: temp } });
    children.add(child);
    const lost = async (why) => {
      outcomes.push({ target, cases: 0, seconds: 0, slowest: 0, finding: { file: inputFile, error: why } });
    };
    const arm = () =>
      setTimeout(() => {
        lost(`no answer in ${HANG_MS / 1000} s`);
        child.kill("SIGKILL");
      }, HANG_MS);
    let timer = arm();
    child.on("message", ({ started, outcome }) => {
      clearTimeout(timer);
      timer = arm();
      if (started !== undefined) target = started;
      else if (outcome !== undefined) outcomes.push(outcome);
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      children.delete(child);
      if (code !== 0 && signal !== "SIGKILL") lost(`the process ended with ${signal ?? `code ${code}`}`);
      resolve(outcomes);
    });
  });
}

async function report(outcomes, seconds) {
  const names = [...new Set(outcomes.map(({ target }) => target))];
  for (const name of names) {
    const all = outcomes.filter(({ target }) => target === name);
    const sum = (field) => all.reduce((total, one) => total + one[field], 0);
    const slowest = Math.max(...all.map((one) => one.slowest));
    console.log(
      `${name.padEnd(24)} ${String(sum("cases")).padStart(8)} cases ${sum("seconds").toFixed(1).padStart(7)} s, slowest ${slowest.toFixed(2)} s`,
    );
  }
  const findings = outcomes.filter(({ finding }) => finding);
  const total = outcomes.reduce((sum, one) => sum + one.cases, 0);
  console.log(`${total} cases of seed ${seed} in ${seconds.toFixed(0)} s: ${findings.length} findings`);
  for (const [i, { target, finding }] of findings.entries()) {
    await mkdir(found, { recursive: true });
    const file = join(found, `${target}-${i}`);
    if (finding.file) await copyFile(finding.file, file);
    else await writeFile(file, Buffer.from(finding.input, "base64"));
    console.log(`\n${target}: ${file}\n${finding.error}`);
  }
  if (findings.length > 0) process.exitCode = 1;
}

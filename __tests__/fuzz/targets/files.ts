/** Files of a project: scenarios, requirements, commands; and what tools of the system write. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { formatStacks, parseStacks } from "../../../src/compare/profile-stacks.js";
import { detect } from "../../../src/init/detect.js";
import { parseServersFile, parseSetFile } from "../../../src/plan/files.js";
import { parseStat } from "../../../src/process/proc.js";
import { pythonOf } from "../../support/python-files.js";
import { mutatedBytes } from "../mutate.js";
import { hold, orTyped, type Target } from "../target.js";

const files = readdirSync("scenarios").filter((name) => name.endsWith(".yml"));
const read = (name: string) => readFileSync(join("scenarios", name));
const SETS = files.filter((name) => name !== "servers.yml").map(read);
const TWISTS = [
  "title: &a x\nlabel: *a\nrows: [{title: *a}]\n",
  "title: x\nlabel: y\nrows:\n  - <<: {title: z}\n    knobs: {a: !!binary aGk=, ? [b] : c}\n",
  "title: x\nlabel: y\nmatrix: {workers: [1, 2], threads: [1, 2]}\nrows:\n  - title: z\n",
];

function checkSet(input: Buffer): void {
  const text = input.toString("utf8");
  const source = orTyped(() => parseSetFile(text, "set.yml"));
  if (source) hold(/^set\.yml(:\d+)?: /.test(source.at(["rows", 0, "title"])), "a place without its file");
}

function checkServers(input: Buffer): void {
  orTyped(() => parseServersFile(input.toString("utf8"), "servers.yml"));
}

const PROJECT: readonly (readonly [string, string])[] = [
  ["requirements.txt", "-r base.txt\nuvicorn[standard]>=0.30 \\\n  --hash=sha256:0\n# x\n"],
  [
    "pyproject.toml",
    '[project]\nname = "app"\ndependencies = ["granian>=2", "fastapi"]\n[tool.uv]\ndev = []\n[[a.b]]\nc = 1979-05-27\n',
  ],
  ["Procfile", "web: gunicorn app.main:app -w 4 -k 'uvicorn.workers.UvicornWorker' && echo \"$PORT\"\n"],
  ["Dockerfile", 'FROM python:3.12\nCMD ["uvicorn", "app.main:app", "--host", "0.0.0.0"]\n'],
  ["docker-compose.yml", "services:\n  web:\n    command: granian --interface asgi app.main:app\n"],
  ["Makefile", "run:\n\t@uvicorn app.main:app \\\n\t\t--port $$PORT\n"],
  ["run.sh", "bash -c \"gunicorn -w $((2 * $(nproc))) --bind='[::]:80' app.main:app\"\n"],
  ["app/main.py", "from fastapi import FastAPI\napp = FastAPI()\n\ndef create_app():\n    return app\n"],
];

/** Python's own parser reads them. */
const PYTHON = pythonOf(new Map(PROJECT));

/** One file of a project is not what it should be. The first line names it. */
const projects = fc
  .constantFrom(...PROJECT)
  .chain(([name, text]) => mutatedBytes([text]).map((bytes) => Buffer.concat([Buffer.from(`${name}\n`), bytes])));

function checkProject(input: Buffer): void {
  const end = input.indexOf("\n");
  const changed: readonly [string, string] = [input.toString("utf8", 0, end), input.toString("utf8", end + 1)];
  orTyped(() => detect(new Map([...PROJECT, changed]), PYTHON));
}

const STACKS =
  'process 1:"python -m a;b";main (app.py:3);_run (lib/x.py:10);0x7fff 12\nmain (app.py:3);work (a b (c).py:0) 4\n';

function checkStacks(input: Buffer): void {
  const text = input.toString("utf8");
  const stacks = orTyped(() => parseStacks(text), [Error]);
  if (stacks === undefined) return;
  hold(
    stacks.every(({ samples }) => samples >= 1 && Number.isInteger(samples)),
    "a stack without samples",
  );
  formatStacks(stacks);
}

const STAT = "4242 (a) b (c)) S 1 4242 4242 0 -1 4194560 1 2 3 4 55 66 7 8 20 0 1 0 123456 1000 200\n";

function checkStat(input: Buffer): void {
  const stat = parseStat(input.toString("latin1"));
  hold(stat === undefined || Number.isInteger(stat.pid), "a process without a number");
}

export const fileTargets: readonly Target[] = [
  { name: "scenario-sets", share: 6, inputs: mutatedBytes([...SETS, ...TWISTS]), check: checkSet },
  { name: "scenario-servers", share: 1, inputs: mutatedBytes([read("servers.yml")]), check: checkServers },
  { name: "project-files", share: 5, inputs: projects, check: checkProject },
  { name: "stacks", share: 3, inputs: mutatedBytes([STACKS]), check: checkStacks },
  { name: "proc-stat", share: 2, inputs: mutatedBytes([STAT]), check: checkStat },
];

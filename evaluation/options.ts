/** The command line of the evaluation: values are checked before anything is started. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { InputError } from "../src/errors.js";
import { parsePlant } from "./record/plants.js";
import type { RecordOptions } from "./record/record.js";
import { subjectNamed } from "./record/subjects.js";

export interface ReportOptions {
  /** Of the project. */
  readonly root: string;
  /** Recordings of one kind of machine. */
  readonly files: readonly string[];
  /** Rows of whole runs between identical sides. */
  readonly whole: string | undefined;
  readonly reports: number;
  readonly seed: number;
  /** Without its ending: OUT.md and OUT.json are written. */
  readonly out: string;
}

export type Command =
  | { readonly name: "record"; readonly options: RecordOptions }
  | { readonly name: "report"; readonly options: ReportOptions };

const USAGE = `usage: npm run evaluate -- record FILE.json.gz [--servers NAMES] [--plants SPECS] [--neighbours PERCENTS]
           [--neighbour-cpus both|server|client] [--builds N] [--pairs N] [--counts N] [--latency]
           [--checkout SERVER=DIR] [--seed N]
       npm run evaluate -- report FILE.json.gz... [--whole FILE.jsonl] [--reports N] [--seed N] [--out PATH]`;

type Values = ReturnType<typeof parsed>["values"];

/** @throws InputError for a wrong value, with its option */
export function commandOf(args: readonly string[], root: string, say: (line: string) => void): Command {
  const { values, positionals } = parsed(args);
  const [name, file, ...rest] = positionals;
  if (file === undefined || (rest.length > 0 && name !== "report")) throw new InputError(USAGE);
  if (name === "record") return { name, options: { ...recordOptions(values), root, out: resolve(file), say } };
  if (name === "report")
    return { name, options: { ...reportOptions(values, root), files: [file, ...rest].map((one) => resolve(one)) } };
  throw new InputError(USAGE);
}

function parsed(args: readonly string[]) {
  const text = (value: string) => ({ type: "string", default: value }) as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        servers: text("granian-rsgi,uvicorn,gunicorn-gthread,hypercorn"),
        plants: text("none,cpu:1,cpu:3,cpu:5,allocation:3,syscalls:3,cache:3,alternate:10,idle:15"),
        neighbours: text("0,25"),
        "neighbour-cpus": text("both"),
        builds: text("2"),
        pairs: text("40"),
        counts: text("0"),
        latency: { type: "boolean", default: false },
        checkout: { type: "string", multiple: true, default: [] as string[] },
        whole: { type: "string" },
        reports: text("200"),
        seed: text("1"),
        out: { type: "string" },
      },
    });
  } catch (error) {
    throw new InputError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

function recordOptions(values: Values): Omit<RecordOptions, "root" | "out" | "say"> {
  const servers = values.servers.split(",");
  for (const server of servers) subjectNamed(server);
  const plants = values.plants.split(",");
  for (const plant of plants) parsePlant(plant);
  const neighbours = values.neighbours.split(",").map(shareOfTime);
  const pairs = wholeNumber("--pairs", values.pairs, 1);
  return {
    servers,
    plants,
    neighbours,
    neighbourCpus: cpusNamed(values["neighbour-cpus"]),
    builds: evenBuilds(values.builds),
    pairs,
    counts: countsBeside(pairs, values.counts),
    latency: values.latency,
    checkouts: new Map(values.checkout.map(checkoutOf)),
    seed: wholeNumber("--seed", values.seed, 0),
  };
}

function cpusNamed(text: string): RecordOptions["neighbourCpus"] {
  if (text === "both" || text === "server" || text === "client") return text;
  throw new InputError(`--neighbour-cpus: "${text}" is wrong: use both, server or client`);
}

function evenBuilds(text: string): number {
  const builds = wholeNumber("--builds", text, 2);
  if (builds % 2 === 0) return builds;
  throw new InputError(`--builds: "${text}" is odd: builds are compared two by two`);
}

/** A round follows a pair. */
function countsBeside(pairs: number, text: string): number {
  const counts = wholeNumber("--counts", text, 0);
  if (counts <= pairs) return counts;
  throw new InputError(`--counts: "${text}" is more than the ${pairs} of --pairs: each round is counted after a pair`);
}

function checkoutOf(text: string): readonly [string, string] {
  const [server, folder] = text.split("=", 2);
  if (!server || !folder) throw new InputError(`--checkout: "${text}" is wrong: write SERVER=DIR`);
  return [server, resolve(folder)];
}

/** Whoever writes a share such as 0.25 means 25 per cent. */
function shareOfTime(text: string): number {
  const percent = numberIn("--neighbours", text, 0, 50);
  if (percent > 0 && percent < 1)
    throw new InputError(`--neighbours: "${text}" is too small: give per cent of the time, such as 25`);
  return percent / 100;
}

function reportOptions(values: Values, root: string): Omit<ReportOptions, "files"> {
  return {
    root,
    whole: values.whole && resolve(values.whole),
    reports: wholeNumber("--reports", values.reports, 1),
    seed: wholeNumber("--seed", values.seed, 0),
    out: resolve(root, values.out ?? "evaluation/report"),
  };
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = numberIn(option, text, least, Number.MAX_SAFE_INTEGER);
  if (Number.isInteger(value)) return value;
  throw new InputError(`${option}: "${text}" is not a whole number`);
}

function numberIn(option: string, text: string, low: number, high: number): number {
  const value = text === "" ? Number.NaN : Number(text);
  if (value >= low && value <= high) return value;
  throw new InputError(
    `${option}: "${text}" is no number ${high === Number.MAX_SAFE_INTEGER ? `from ${low}` : `from ${low} to ${high}`}`,
  );
}

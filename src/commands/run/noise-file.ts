/** How noisy the pairs of earlier runs on this machine were: a file in the cache. Without it a run measures longer, no more. */
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as v from "valibot";
import type { EarlierRow } from "../../compare/earlier-noise.js";
import { messageOf } from "../../errors.js";
import { cacheRoot, writeFileAtomic } from "../../provision/cache/cache.js";
import { noiseScale } from "../../results/comparison.js";
import { line, list, record, timestamp } from "../../results/fields.js";

const FILE = "noise.json";
/** How pairs are measured. The noise of pairs that were measured in another way says nothing. */
const METHOD = "together-1";
/** Of all machines that share the cache. */
const ROWS_MAX = 1000;
/** The newest ones of one machine: its noise changes over months. */
const ROWS_READ = 200;
const METRICS_MAX = 10;
/** A thousand rows have a tenth of this. */
const BYTES_MAX = 4 * 1024 * 1024;

const row = v.object({ at: timestamp, machine: line, key: line, noise: record(noiseScale, METRICS_MAX, "metrics") });
const file = v.object({ method: v.literal(METHOD), rows: list(v.unknown(), ROWS_MAX, "rows") });
type Row = v.InferOutput<typeof row>;

export interface NoiseFileOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Fingerprint of the machine. */
  readonly machine: string;
  warn?(text: string): void;
}

export class NoiseFile {
  readonly #path: string;
  readonly #options: NoiseFileOptions;
  /** Oldest first. */
  readonly earlier: readonly EarlierRow[];

  private constructor(path: string, rows: readonly Row[], options: NoiseFileOptions) {
    this.#path = path;
    this.#options = options;
    this.earlier = rows.filter(({ machine }) => machine === options.machine).slice(-ROWS_READ);
  }

  /** A file that is missing, damaged or not readable counts as empty. */
  static async open(options: NoiseFileOptions): Promise<NoiseFile> {
    const path = join(cacheRoot(options.env), FILE);
    return new NoiseFile(path, await rowsIn(path), options);
  }

  /** Adds the rows of this run. A file that cannot be written is a warning: the run itself is whole. */
  async add(rows: readonly EarlierRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { machine, warn } = this.#options;
    const at = new Date().toISOString();
    try {
      // Read again: another run may have written meanwhile.
      const all = [...(await rowsIn(this.#path)), ...rows.map(({ key, noise }) => ({ at, machine, key, noise }))];
      await mkdir(dirname(this.#path), { recursive: true });
      await writeFileAtomic(this.#path, JSON.stringify({ method: METHOD, rows: all.slice(-ROWS_MAX) }));
    } catch (error) {
      warn?.(`The noise of this run was not kept for later runs: ${messageOf(error)}`);
    }
  }
}

async function rowsIn(path: string): Promise<readonly Row[]> {
  // An earlier run's code may have left a pipe, at which reading never ends, or a file that fills the memory.
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile() || stats.size > BYTES_MAX) return [];
  const text = await readFile(path, "utf8").catch(() => "");
  const read = v.safeParse(file, parsed(text));
  return read.success ? read.output.rows.filter((one) => v.is(row, one)) : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

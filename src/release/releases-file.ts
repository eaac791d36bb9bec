/** releases.json: what the index of the published folder is made of. */
import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { codeOf, InputError, messageOf } from "../errors.js";

export const RELEASES_FILE = "releases.json";
const SCHEMA = "server-bench/releases";
const VERSION = 1;

/** A folder of thousands of releases would be one that something else wrote. */
const RELEASES_MAX = 5000;
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const TEXT_MAX = 2000;

const text = v.pipe(v.string(), v.maxLength(TEXT_MAX));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Never a path out of the folder, and never a name that a web server hides. */
const folder = v.pipe(v.string(), v.maxLength(200), v.regex(/^[A-Za-z0-9][\w.-]*$/, "expected the name of a folder"));

const releaseSchema = v.strictObject({
  tag: text,
  /** Absent for a first release. */
  previous: v.optional(text),
  folder,
  measuredAt: v.pipe(v.string(), v.isoTimestamp()),
  sha: v.optional(text),
  machine: text,
  headline: text,
  rows: count,
  /** Of `rows`. Absent in earlier files, whose `rows` are the compared ones, and where nothing was compared. */
  notCompared: v.optional(count),
  /** Absent where nothing was compared. */
  verdicts: v.optional(v.strictObject({ worse: count, better: count, unchanged: count, inconclusive: count })),
});
export type ReleaseEntry = v.InferOutput<typeof releaseSchema>;

const fileSchema = v.strictObject({
  schema: v.literal(SCHEMA),
  version: v.pipe(v.number(), v.value(VERSION, `this server-bench reads version ${VERSION}`)),
  releases: v.pipe(v.array(releaseSchema), v.maxLength(RELEASES_MAX)),
});

/** None where there is no such file. @throws InputError naming the file and the field */
export async function readReleases(path: string): Promise<readonly ReleaseEntry[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new InputError(`${path}: cannot be read: ${messageOf(error)}`);
  });
  if (bytes === undefined) return [];
  if (bytes.length > FILE_BYTES_MAX) throw new InputError(`${path}: has more than ${FILE_BYTES_MAX} bytes`);
  const read = v.safeParse(fileSchema, jsonOf(bytes.toString("utf8"), path));
  if (read.success) return read.output.releases;
  const [issue] = read.issues;
  throw new InputError(`${path}: ${v.getDotPath(issue) ?? "the whole file"}: ${issue.message}`);
}

function jsonOf(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new InputError(`${path}: is no JSON: ${messageOf(error)}`);
  }
}

export function releasesJson(releases: readonly ReleaseEntry[]): string {
  return `${JSON.stringify({ schema: SCHEMA, version: VERSION, releases }, null, 2)}\n`;
}

/** With this release in place of an earlier page of the same tag. */
export function withRelease(releases: readonly ReleaseEntry[], release: ReleaseEntry): ReleaseEntry[] {
  return [release, ...releases.filter(({ tag }) => tag !== release.tag)];
}

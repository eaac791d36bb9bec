/** The first line of our comment. GitHub does not show it. We find our comment by it, and it names the run that wrote it. */
import { InputError } from "../errors.js";

/** A run first writes that it measures, then its result. */
export type Phase = "measuring" | "done";

export interface RunAttempt {
  readonly id: number;
  readonly attempt: number;
}

export interface CommentMarker {
  readonly key: string;
  readonly run: RunAttempt;
  readonly phase: Phase;
}

export const DEFAULT_KEY = "default";
const KEY = /^[a-z0-9][a-z0-9-]{0,49}$/;
const MARKER =
  /^<!-- server-bench key=([a-z0-9][a-z0-9-]{0,49}) run=([1-9]\d{0,15}) attempt=([1-9]\d{0,15}) phase=(measuring|done) -->$/;

/** Checks the input `comment-key`, which becomes part of the marker. @throws InputError */
export function checkCommentKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new InputError(
    `invalid comment-key ${JSON.stringify(key)}: use 1 to 50 of a-z, 0-9 and "-", the first a letter or a digit, such as "${DEFAULT_KEY}"`,
  );
}

/** `<!-- server-bench key=default run=123 attempt=1 phase=done -->` @throws RangeError for a marker that `parseMarker` would not read */
export function formatMarker({ key, run, phase }: CommentMarker): string {
  const line = `<!-- server-bench key=${key} run=${run.id} attempt=${run.attempt} phase=${phase} -->`;
  if (!parseMarker(line)) throw new RangeError(`not a marker: ${line}`);
  return line;
}

/** The marker of a comment's body; undefined unless its first line is exactly one. */
export function parseMarker(body: string): CommentMarker | undefined {
  const [line = ""] = body.split(/\r?\n/, 1);
  const [, key, id, attempt, phase] = MARKER.exec(line) ?? [];
  const run = { id: Number(id), attempt: Number(attempt) };
  if (key === undefined || !Number.isSafeInteger(run.id) || !Number.isSafeInteger(run.attempt)) return undefined;
  return { key, run, phase: phase === "done" ? "done" : "measuring" };
}

/** Above zero when `a` is of a later run, attempt or phase than `b`; zero when either may replace the other. */
export function compareMarkers(a: CommentMarker, b: CommentMarker): number {
  return compareRuns(a.run, b.run) || Number(a.phase === "done") - Number(b.phase === "done");
}

/** Above zero when `a` is the later one. */
export function compareRuns(a: RunAttempt, b: RunAttempt): number {
  return a.id - b.id || a.attempt - b.attempt;
}

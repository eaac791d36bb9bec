/** Why an installation failed, from what uv and the build printed: once per build, with what the user can do. */

import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { clip } from "../../messages/clip.js";
import { parts, type ReasonKind } from "../../messages/reasons.js";
import { canonical } from "../../plan/distribution-name.js";
import type { InstallFailure } from "../types.js";
import { type BuildError, firstBuildError } from "./build-log.js";
import { localDistributions } from "./source-digest.js";

export interface Installation {
  readonly server: string;
  readonly requires: readonly string[];
  readonly systemPackages: readonly string[];
  /** Distributions that `--server` names. */
  readonly chosen?: readonly string[];
  /** The file that keeps the whole output. */
  readonly logFile: string;
}

/** How much of a log is shown: a compiler's error with what it points at. */
const EXCERPT_LINES = 25;
/** A compiler's command or error can be one line of many kilobytes. */
const LINE_CHARACTERS = 500;
const HEADLINE_CHARACTERS = 2000;

/** @param log the whole output */
export function installFailure(
  log: string,
  installation: Installation,
): { readonly failure: InstallFailure; readonly excerpt: string } {
  const lines = stripVTControlCharacters(log)
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const found = firstBuildError(lines);
  const error = found && relativeTo(installation.requires, found);
  const failure = {
    ...classify({ lines, text: lines.join("\n"), error, installation }),
    ...subjectOf(lines, installation),
  };
  const start = failure.location === undefined ? lines.length - EXCERPT_LINES : (error?.line ?? 0);
  const shown = lines.slice(Math.max(0, start)).slice(0, EXCERPT_LINES);
  const excerpt = withoutIndent(shown).map((line) => clip(line, LINE_CHARACTERS));
  const headline = clip(failure.headline, HEADLINE_CHARACTERS);
  return { failure: { ...failure, headline, logFile: installation.logFile }, excerpt: excerpt.join("\n") };
}

/** A file of the checkout is named as in the checkout: base's is in a temporary folder. */
function relativeTo(requires: readonly string[], error: BuildError): BuildError {
  const folders = requires
    .flatMap((requirement) => / @ (file:\S+)/.exec(requirement)?.[1] ?? [])
    .map((url) => fileURLToPath(url));
  const folder = folders.find((path) => error.location?.startsWith(`${path}/`));
  return folder === undefined ? error : { ...error, location: (error.location ?? "").slice(folder.length + 1) };
}

type Classified = Pick<InstallFailure, "kind" | "headline" | "location" | "remedy">;

interface Log {
  readonly lines: readonly string[];
  readonly text: string;
  /** The first error of the build. */
  readonly error: BuildError | undefined;
  readonly installation: Installation;
}

/** A header or a library that may be the machine's. */
const MISSING_LIBRARY =
  /fatal error: \S+\.(?:h|hpp): No such file|cannot find -l\S+|Package '?\S+'?, required by .* not found/i;
const MISSING_COMPILER =
  /fatal error: Python\.h: No such file|No such file or directory: '(?:cc|gcc|g\+\+|clang|c\+\+)'|command '?(?:cc|gcc|g\+\+|clang|c\+\+)'? failed: No such file/i;
const NO_RUST = /can't find Rust compiler|cargo, the Rust package manager, is not installed|rustc.*command not found/i;
const OTHER_NAME = /metadata name `([^`]+)` does not match given name `([^`]+)`/i;
const OTHER_PYTHON = /the current Python version \(\S+\) does not satisfy/i;

interface Cause {
  readonly pattern: RegExp;
  readonly kind: InstallFailure["kind"];
  readonly reason: (log: Log) => ReasonKind;
  /** Default: the line that has the pattern. */
  readonly said?: (log: Log) => string;
}

/** What uv says where no build has an error of its own. A log may have several: the first one counts. */
const CAUSES: readonly Cause[] = [
  { pattern: /no space left on device/i, kind: "other", reason: () => "disk-full" },
  { pattern: /401 unauthorized|403 forbidden/i, kind: "network", reason: () => "index-refuses" },
  { pattern: /hash mismatch for/i, kind: "other", reason: () => "other-hash", said: hashHeadline },
  { pattern: /In `--require-hashes` mode/i, kind: "other", reason: () => "hashes-wanted" },
  {
    pattern: /no solution found|not found in the package registry|there is no version of/i,
    kind: "no-such-version",
    reason: ({ lines, text }) =>
      OTHER_PYTHON.test(text) ? "other-python" : hintOf(lines) === "" ? "no-version" : "hinted-version",
    said: unsolved,
  },
  {
    pattern:
      /failed to fetch|dns error|error sending request|connection refused|could not resolve host|failed to download|network is unreachable|operation timed out/i,
    kind: "network",
    reason: () => "index-silent",
  },
  {
    pattern: OTHER_NAME,
    kind: "build",
    reason: ({ text, installation: { chosen = [] } }) =>
      chosen.map(canonical).includes(canonical(OTHER_NAME.exec(text)?.[2] ?? "")) ? "other-distribution" : "hinted",
  },
];

function classify(log: Log): Classified {
  const { lines, text, error } = log;
  const ofMachine = missingPackages(log);
  if (ofMachine) return ofMachine;
  if (error?.location !== undefined) return { kind: "build", ...placed(error), remedy: hintOf(lines) };
  const cause = CAUSES.find(({ pattern }) => pattern.test(text));
  if (cause) return classified(cause, log);
  const last = lines.at(-1)?.trim();
  if (/failed to build|the build backend returned an error/i.test(text))
    return { kind: "build", ...placed(error ?? { line: 0, message: last ?? "" }), remedy: hintOf(lines) };
  return { kind: "other", headline: error?.message ?? last ?? "it printed nothing", remedy: hintOf(lines) };
}

/** A compiler, header or library that the machine lacks. */
function missingPackages({ text, error, installation: { server, systemPackages } }: Log): Classified | undefined {
  const kind = "system-package";
  const missing =
    (systemPackages.length > 0 ? MISSING_LIBRARY : MISSING_COMPILER).exec(text) ?? MISSING_COMPILER.exec(text);
  if (missing !== null) {
    const packages = systemPackages.length > 0 ? systemPackages : ["build-essential", "python3-dev"];
    const { remedy } = parts("system-package", { server, packages: packages.join(" ") });
    return { kind, ...(error ? placed(error) : { headline: missing[0] }), remedy };
  }
  if (!NO_RUST.test(text)) return undefined;
  const { seen: headline, remedy } = parts("no-rust");
  return { kind, headline, remedy };
}

/** For `--server granian=.` in a checkout of uvicorn the log has both names. */
function classified({ pattern, kind, reason, said = lineWith(pattern) }: Cause, log: Log): Classified {
  const [, found = "", given = ""] = OTHER_NAME.exec(log.text) ?? [];
  const { server } = log.installation;
  const { seen, remedy } = parts(reason(log), { said: said(log), server, found, given, hint: hintOf(log.lines) });
  return { kind, headline: seen, remedy };
}

function placed({ message, location }: BuildError): Pick<Classified, "headline" | "location"> {
  return { headline: message, ...(location !== undefined && { location }) };
}

/** `Hash mismatch for six==1.17.0` */
function hashHeadline({ text }: Log): string {
  return /hash mismatch for \S+/i.exec(text)?.[0].replaceAll("`", "") ?? "a hash does not match";
}

/** What uv suggests, unless it suits every failed build. */
function hintOf(lines: readonly string[]): string {
  const hint = /^\s*hint: (.+)$/.exec(lines.findLast((line) => /^\s*hint: /.test(line)) ?? "")?.[1] ?? "";
  return /^(?:Build failures|This usually indicates)/.test(hint) ? "" : hint;
}

/** "there is no version of six==0.0.99" of the resolver's whole argument. */
function unsolved({ text }: Log): string {
  const argument = /\bBecause ([\s\S]+?)(?:,? (?:and|we can conclude)\b|\.\s|$)/.exec(text)?.[1];
  return argument === undefined ? "no solution was found for its requirements" : argument.replace(/\s+/g, " ").trim();
}

function lineWith(pattern: RegExp): (log: Log) => string {
  return ({ lines }) => {
    const line = lines.find((candidate) => pattern.test(candidate)) ?? "";
    return line.trim().replace(/^(?:error|cause|[×╰├─▶ ]+):?\s*/i, "");
  };
}

/** What does not build: uv names it, and whether it comes from the checkout is in the requirements. */
function subjectOf(lines: readonly string[], { server, requires }: Installation) {
  const built = lines.map((line) => /Failed to (?:build|download and build) `([\w.-]+)/.exec(line)?.[1]);
  const name = built.find((found) => found !== undefined);
  const local = localDistributions(requires).map(canonical);
  return { subject: name ?? server, fromCheckout: name !== undefined && local.includes(canonical(name)) };
}

/** uv indents what a build printed. */
function withoutIndent(lines: readonly string[]): string[] {
  const indent = indentOf(lines[0] ?? "");
  return lines.map((line) => line.slice(Math.min(indent, indentOf(line))));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

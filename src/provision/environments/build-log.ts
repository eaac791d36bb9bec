/** The first error in the output of a build: compilers, Python and build backends each print it in their own form. */

export interface BuildError {
  /** Number of its line in the log, from 0. */
  readonly line: number;
  /** `error[E0308]: mismatched types` */
  readonly message: string;
  /** `src/main.rs:3:21`; some errors have none. */
  readonly location?: string;
}

/**
 * What a compiler reports comes first: an error of the build backend below it says only that the compiler failed.
 * @param lines without colours; uv indents them
 */
export function firstBuildError(lines: readonly string[]): BuildError | undefined {
  return compilerError(lines) ?? tomlError(lines) ?? tracebackError(lines) ?? plainError(lines);
}

/** rustc says where on one of the lines below the message. */
const RUST_LOCATION_LINES = 4;
const C_ERROR = /^(.+\.(?:c|cc|cpp|cxx|h|hh|hpp|pyx|pxd|m|mm|S)):(\d+)(?::(\d+))?: (?:fatal )?error: (.+)$/i;
const CYTHON_ERROR = /^(.+\.pyx):(\d+):(\d+): (?!warning|note)(.+)$/;
const RUST_ERROR = /^error(?:\[E\d+\])?: /;
const LINKER_ERROR = /(?:\bld(?:\.\w+)?: cannot find -l[\w.+-]+|undefined reference to .+)/;

function compilerError(lines: readonly string[]): BuildError | undefined {
  for (const [line, raw] of lines.entries()) {
    const text = raw.trim();
    const [, file, row, column, message] = C_ERROR.exec(text) ?? CYTHON_ERROR.exec(text) ?? [];
    if (file !== undefined && message !== undefined) {
      const kind = /: fatal error: /.test(text) ? "fatal error" : "error";
      return { line, message: `${kind}: ${message}`, location: [file, row, column].filter(Boolean).join(":") };
    }
    if (RUST_ERROR.test(text)) {
      const below = lines.slice(line + 1, line + 1 + RUST_LOCATION_LINES).map((next) => next.trim());
      const location = below.map((next) => /^--> (\S+:\d+:\d+)$/.exec(next)?.[1]).find((found) => found !== undefined);
      if (location !== undefined) return { line, message: text, location };
    }
    const linker = LINKER_ERROR.exec(text)?.[0];
    if (linker !== undefined) return { line, message: linker };
  }
  return undefined;
}

/** uv points at the place, and says below what is wrong there. */
function tomlError(lines: readonly string[]): BuildError | undefined {
  const line = lines.findIndex((text) => /TOML parse error at line \d+, column \d+/.test(text));
  const [, row, column] = /line (\d+), column (\d+)/.exec(lines[line] ?? "") ?? [];
  if (row === undefined || column === undefined) return undefined;
  const below = lines.slice(line + 1).findIndex((text) => !/^\s*\d*\s*\|/.test(text));
  const message = below < 0 ? "invalid TOML" : (lines[line + 1 + below] ?? "").trim();
  return { line, message, location: `pyproject.toml:${row}:${column}` };
}

const TRACEBACK = "Traceback (most recent call last):";
const FRAME = /^File "(.+)", line (\d+)/;
/** `ValueError: no version`, `setuptools.errors.SetupError: ...`; a bare `KeyboardInterrupt` too. */
const EXCEPTION = /^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Exit|Warning|Interrupt|NotFound)\w*(?:: .*)?$/;

/** Python prints the newest call last, and the exception below it. */
function tracebackError(lines: readonly string[]): BuildError | undefined {
  const start = lines.findIndex((line) => line.trim() === TRACEBACK || /^File ".+", line \d+$/.test(line.trim()));
  if (start < 0) return undefined;
  const frames: { readonly file: string; readonly row: string }[] = [];
  for (let line = start; line < lines.length; line++) {
    const text = lines[line]?.trim() ?? "";
    const [, file, row] = FRAME.exec(text) ?? [];
    if (file !== undefined && row !== undefined) frames.push({ file, row });
    else if (frames.length > 0 && EXCEPTION.test(text)) return { line: start, message: text, ...located(frames) };
  }
  return undefined;
}

/** The newest call in a file that is no installed package's and not Python's own. */
function located(frames: readonly { readonly file: string; readonly row: string }[]): { readonly location?: string } {
  const own = frames.findLastIndex(
    ({ file }) => !/[\\/](?:site-packages|lib[\\/]python[\d.]+)[\\/]|^<frozen /.test(file),
  );
  const frame = frames[own];
  if (frame === undefined) return {};
  if (frame.file !== "<string>") return { location: `${frame.file}:${frame.row}` };
  // setuptools executes setup.py as a text without a name; uv calls the backend from another such text.
  const caller = frames[own - 1]?.file ?? "";
  return caller.endsWith("setuptools/build_meta.py") ? { location: `setup.py:${frame.row}` } : {};
}

/** What says only that something else failed. */
const CONSEQUENCE =
  /^error: (?:command |Failed to build|subprocess-exited|could not compile|process didn't exit|Request failed after|No solution found)/i;

/** `error: package directory 'src' does not exist`, or the first line that the backend wrote to its error output. */
function plainError(lines: readonly string[]): BuildError | undefined {
  const named = lines.findIndex((line) => /^error: ./i.test(line.trim()) && !CONSEQUENCE.test(line.trim()));
  const section = lines.findIndex((line) => line.trim() === "[stderr]");
  const first = lines.findIndex((line, index) => section >= 0 && index > section && line.trim() !== "");
  const line = named >= 0 ? named : first;
  return line < 0 ? undefined : { line, message: lines[line]?.trim() ?? "" };
}

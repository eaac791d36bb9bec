/**
 * Collapsed stacks of py-spy: one line for each stack, frames from the outermost to the innermost, joined by `;`, then the
 * number of samples. A frame is `name (file:line)`; of a library without symbols the name is an address, and there is no line.
 */

export interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line?: number;
}

export interface Stack {
  /** The outermost first. */
  readonly frames: readonly Frame[];
  readonly samples: number;
}

/** Folders that paths are made relative to. */
export interface ProfileRoots {
  /** The virtual environment of the server. */
  readonly environment: string;
  /** The checkout that holds the app. */
  readonly checkout: string;
}

/** Of processes above the sampled thread; py-spy adds one frame for each. */
const PROCESS = /^process \d+:"/;

/** @throws Error for a line that is none */
export function parseStacks(text: string): Stack[] {
  return (
    text
      .split("\n")
      .filter((line) => line !== "")
      .map(parseStack)
      // Of a process that went on while it was read, a stack can be empty.
      .filter(({ frames }) => frames.length > 0)
  );
}

function parseStack(line: string): Stack {
  const end = line.lastIndexOf(" ");
  const samples = Number(line.slice(end + 1));
  if (end < 0 || !Number.isInteger(samples) || samples < 1)
    throw new Error(`not a line of collapsed stacks: ${JSON.stringify(line.slice(0, 200))}`);
  return { frames: withoutProcesses(line.slice(0, end).split(";")).map(parseFrame), samples };
}

/** The command line of a process may hold a `;` too. */
function withoutProcesses(frames: readonly string[]): readonly string[] {
  let first = 0;
  while (PROCESS.test(frames[first] ?? "")) {
    const closing = frames.findIndex((frame, i) => i >= first && frame.endsWith('"') && frame.length > 1);
    if (closing < 0) break;
    first = closing + 1;
  }
  return frames.slice(first);
}

function parseFrame(text: string): Frame {
  const open = text.lastIndexOf(" (");
  if (open < 0 || !text.endsWith(")")) return { name: text, file: "" };
  const name = text.slice(0, open);
  const place = text.slice(open + 2, -1);
  const [, file = place, line] = /^(.*):(\d+)$/.exec(place) ?? [];
  return line === undefined || line === "0" ? { name, file } : { name, file, line: Number(line) };
}

/** Equal stacks become one. */
export function formatStacks(stacks: readonly Stack[]): string {
  const counts = new Map<string, number>();
  for (const { frames, samples } of stacks) {
    const key = frames.map(formatFrame).join(";");
    counts.set(key, (counts.get(key) ?? 0) + samples);
  }
  return [...counts].map(([key, samples]) => `${key} ${samples}\n`).join("");
}

function formatFrame({ name, file, line }: Frame): string {
  if (file === "") return name;
  return `${name} (${file}${line === undefined ? "" : `:${line}`})`;
}

/** The stacks with paths that are the same on both sides and on every machine. */
export function relativeStacks(stacks: readonly Stack[], roots: ProfileRoots): Stack[] {
  const known = new Map<string, string>();
  const relative = (file: string): string => {
    const found = known.get(file) ?? relativePath(file, roots);
    known.set(file, found);
    return found;
  };
  return stacks.map(({ frames, samples }) => ({
    frames: frames.map((frame) => ({ ...frame, file: relative(frame.file) })),
    samples,
  }));
}

function relativePath(file: string, { environment, checkout }: ProfileRoots): string {
  if (file.startsWith(`${environment}/`))
    return file.slice(environment.length + 1).replace(/^lib(64)?\/python[^/]+\/site-packages\//, "");
  if (file.startsWith(`${checkout}/`)) return file.slice(checkout.length + 1);
  return file.replace(/^\/.*\/lib(64)?\/python\d[^/]*\//, "");
}

/**
 * Calls that wait. py-spy looks at a thread's state a moment before it stops the thread, so some stacks are of threads that
 * began to wait in between: they used no CPU time. Rust waits with `syscall(SYS_futex)`.
 */
const WAITING =
  /^_*(?:libc_)?(?:epoll_p?wait2?|p?poll|p?select|pthread_cond_(?:timed|clock)?wait|lll_lock_wait\w*|futex\w*|sem_(?:timed|clock)?wait|(?:clock_)?nanosleep|wait4|waitpid|waitid|sigwait\w*|syscall)(?:@.*)?$/;

/** The stacks of threads that worked. */
export function workingStacks(stacks: readonly Stack[]): Stack[] {
  return stacks.filter(({ frames }) => !isWaiting(frames));
}

/** Functions of Python that call the C library to wait: many systems have it without names. */
const WAITING_IN_LIBC = /^(PyThread_acquire_lock(_timed)?|take_gil|pysleep|time_sleep)$/;

function isWaiting(frames: readonly Frame[]): boolean {
  let isNameless = false;
  for (const frame of frames.toReversed()) {
    if (!isSystem(frame)) return isNameless && WAITING_IN_LIBC.test(frame.name);
    if (WAITING.test(frame.name)) return true;
    isNameless ||= frame.name.startsWith("0x");
  }
  return false;
}

/** Python code, not a library or a C source. */
export function isPython({ file }: Frame): boolean {
  return /\.py[wc]?$|^<.*>$/.test(file);
}

/** The C library and what comes with it. */
export function isSystem({ file }: Frame): boolean {
  return /(^|\/)(libc|libm|libpthread|librt|libdl|libgcc_s|libstdc\+\+|ld-linux[^/]*|ld-musl[^/]*|libc\.musl[^/]*)(-\d[\d.]*)?\.so|(^|\/)\[?vdso\]?$/.test(
    file,
  );
}

/** Python itself: its program, its library, its own extension modules, its sources and headers. */
export function isInterpreter({ file }: Frame): boolean {
  return /(^|\/)libpython\d|(^|\/)python\d?(\.\d+)?t?$|(^|\/)lib-dynload\/|\/[Pp]ython-\d[^/]*\/|\/cpython[-@/]|\/include\/python\d|^(\.\/)?(Objects|Modules|Python|Include|Parser)\//.test(
    file,
  );
}

/** Messages for errors of the operating system that the machine causes: they are no defects of server-bench. */
import { SetupError } from "../errors.js";

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full: free space there, or choose other folders with TMPDIR, --out or SERVER_BENCH_CACHE",
  EDQUOT:
    "your share of the disk is full: free space there, or choose other folders with TMPDIR, --out or SERVER_BENCH_CACHE",
  EROFS: "the disk cannot be written: choose other folders with TMPDIR, --out or SERVER_BENCH_CACHE",
  EFBIG: "a file would be larger than this process may write: raise the limit (ulimit -f)",
  EIO: "the disk reported an input/output error",
  EMFILE: "too many files are open: raise the limit (ulimit -n)",
  ENFILE: "too many files are open on this machine",
  EAGAIN: "no further process can be started: raise the limit (ulimit -u, or pids.max of the control group)",
  ENOMEM: "there is no memory left",
};

/** Undefined: the error does not show that the machine causes it. */
export function machineFault(error: unknown): SetupError | undefined {
  const cause = error instanceof Error && error.cause instanceof Error && "code" in error.cause ? error.cause : error;
  if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) return undefined;
  const remedy = REMEDIES[String(cause.code)];
  return remedy === undefined ? undefined : new SetupError(`${remedy} (${cause.message})`);
}

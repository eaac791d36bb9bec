/**
 * Cleans up when this process is killed: a shell in another session reads a pipe from us. When the pipe ends without `done`, the
 * shell ends every process of the run and removes the run's temporary folder.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { isAbsolute } from "node:path";
import { SetupError } from "../errors.js";
import { RUN_MARKER } from "./environment.js";
import type { RunContext } from "./run.js";

/**
 * $1 the marker with the run's id, $2 the temporary folder. Finds the same processes as `findRun` in sweep.ts, except for the
 * children of supervisors: each supervisor ends them when we are gone.
 */
const SCRIPT = `
trap '' HUP INT TERM
while IFS= read -r line; do [ "$line" = done ] && exit 0; done
marker=$1
folder=$2
starttime() {
  { IFS= read -r stat < "/proc/$1/stat"; } 2>/dev/null || return 1
  set -- \${stat##*) }
  shift 19
  echo "$1"
}
sessions=' '
for note in "$folder"/sessions/*; do
  [ -f "$note" ] || continue
  leader=\${note##*/}
  IFS= read -r noted < "$note"
  now=$(starttime "$leader") && [ "$now" != "$noted" ] && continue
  sessions="$sessions$leader "
done
members() {
  grep -lzFx -e "$marker" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
  for file in /proc/[0-9]*/stat; do
    { IFS= read -r stat < "$file"; } 2>/dev/null || continue
    set -- \${stat##*) }
    [ "$1" = Z ] && continue
    case $sessions in *" $4 "*) echo "$file" | cut -d/ -f3 ;; esac
  done
}
round=0
while [ $round -lt 40 ]; do
  left=$(members)
  [ -z "$left" ] && break
  if [ $round -eq 0 ]; then kill -TERM $left 2>/dev/null; elif [ $round -ge 10 ]; then kill -KILL $left 2>/dev/null; fi
  round=$((round + 1))
  sleep 0.1
done
rm -rf -- "$folder"
`;

export interface Watchdog extends AsyncDisposable {
  readonly pid: number;
}

/**
 * Starts it. Disposing ends it, and nothing is cleaned up. Call it before the first server is started.
 * @param files descriptors that stay open until it has cleaned up, such as that of a lock
 */
export function startWatchdog(
  run: Pick<RunContext, "id" | "tempDir">,
  env: NodeJS.ProcessEnv,
  files: readonly number[] = [],
): Watchdog {
  if (!isAbsolute(run.tempDir)) throw new Error(`the run's temporary folder is not absolute: ${run.tempDir}`);
  // Without the run's marker and RUNNER_TRACKING_ID: it must live a moment longer than us, and it always ends.
  const child = spawn("/bin/sh", ["-c", SCRIPT, "watchdog", `${RUN_MARKER}=${run.id}`, run.tempDir], {
    detached: true,
    cwd: "/",
    env: { PATH: env.PATH ?? "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore", ...files],
  });
  child.on("error", () => {});
  const { stdin } = child;
  if (child.pid === undefined || stdin === null)
    throw new SetupError("cannot start /bin/sh, which cleans up when this process is killed");
  stdin.on("error", () => {});
  const ended = once(child, "exit");
  child.unref();
  if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  return {
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.ref();
      stdin.end("done\n");
      await ended;
    },
  };
}

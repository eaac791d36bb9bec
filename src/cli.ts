#!/usr/bin/env node
/** Terminal entry: argv -> a command; the only place that sets the exit code. */
import { fileURLToPath } from "node:url";
import { nodeTooOld } from "./node-floor.js";

const tooOld = nodeTooOld(process.versions.node);
if (tooOld !== undefined) {
  process.stderr.write(`${tooOld}\n`);
  process.exit(2);
}
// Not a static import: those run before the check.
const [{ main }, { absoluteFolders, currentFolder }] = await Promise.all([
  import("./commands/main.js"),
  import("./surroundings.js"),
]);

const argv = process.argv.slice(2);
/** `run` keeps its results in files: what it prints is a view of them. */
const textIsAll = argv[0] !== "run" || argv.includes("--json");
let unwritten = false;

// A reader that closes the pipe (`| head`), or a full disk, must not end the run: results still go to their files.
process.stderr.on("error", () => {});
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" || unwritten) return;
  unwritten = true;
  process.stderr.write(
    `server-bench: standard output cannot be written (${error.message}), so its text is not whole: free space there, or send it elsewhere\n`,
  );
});
process.on("exit", (code) => {
  if (unwritten && textIsAll && code === 0) process.exitCode = 3;
});

const cwd = currentFolder();
if (cwd === undefined) {
  process.stderr.write("server-bench: the current folder was removed: change to one that exists (cd)\n");
  process.exit(2);
}
Object.assign(process.env, absoluteFolders(process.env, cwd));

process.exitCode = await main(argv, {
  root: fileURLToPath(new URL("..", import.meta.url)),
  cwd,
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
});

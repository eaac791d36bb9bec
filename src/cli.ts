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
const { main } = await import("./commands/main.js");

// A reader that closes the pipe (`| head`) must not end the run: results still go to their files.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

const root = fileURLToPath(new URL("..", import.meta.url));
const exitCode = await main(process.argv.slice(2), {
  root,
  cwd: process.cwd(),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
});
process.exitCode = exitCode;

/** Stands for the tool itself in the test that kills it: killed-parent RUN_ID TEMP_DIR SCRIPT [ARGUMENT]. */
import { startServer } from "../../src/process/group.js";
import { startWatchdog } from "../../src/process/watchdog.js";

const [id = "", tempDir = "", script = "", ...args] = process.argv.slice(2);
const run = { id, tempDir, signal: new AbortController().signal };
const watchdog = startWatchdog(run, process.env);
const server = await startServer(
  { command: ["python3", script, ...args], cwd: tempDir, sourceEnv: process.env, extraEnv: {}, cpuList: "0" },
  run,
);
const ready = setInterval(() => {
  if (!server.logTail().includes("up") || !server.logTail().includes("wiped")) return;
  clearInterval(ready);
  process.stdout.write(`${JSON.stringify({ server: server.pid, watchdog: watchdog.pid })}\n`);
}, 20);
setInterval(() => {}, 1000);

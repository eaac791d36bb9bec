/** A version manager's shim is asked once, and not started for every server. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { startServer } from "../../src/process/group.js";
import { supervisingPython } from "../../src/process/interpreter.js";
import { hasEnded, readStat } from "../../src/process/proc.js";
import { tempFolder } from "../support/cli.js";
import { eventually, testRun } from "../support/run.js";

const PYTHON = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
const pythonOf = (folder: string) => supervisingPython({ PATH: `${folder}:${process.env.PATH}` });

/** A `python3` that notes each of its starts in a file. */
function shim(command: string) {
  const folder = tempFolder();
  const [program, starts] = [join(folder, "python3"), join(folder, "starts")];
  writeFileSync(program, `#!/bin/sh\necho started >> "${starts}"\n${command}\n`);
  chmodSync(program, 0o755);
  const counted = () => (existsSync(starts) ? readFileSync(starts, "utf8").trim().split("\n").length : 0);
  return { folder, program, counted };
}

describe("the interpreter behind a python3", () => {
  it("is what a shim starts, and the shim runs once for all servers", async () => {
    const { folder, counted } = shim(`exec ${PYTHON} "$@"`);
    await using run = testRun();
    const sourceEnv = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const start = () =>
      startServer({ command: ["sleep", "60"], cwd: run.tempDir, sourceEnv, extraEnv: {}, cpuList: "0" }, run);
    const [one, two] = await Promise.all([start(), start()]);
    await using first = one;
    await using second = two;
    for (const { pid } of [first, second]) {
      const supervisor = readStat(pid)?.parent;
      expect(realpathSync(`/proc/${supervisor}/exe`)).toBe(realpathSync(PYTHON));
    }
    expect(counted()).toBe(1);
  });

  it("is the program itself where it is Python, also through a link", async () => {
    const link = join(tempFolder(), "python3");
    symlinkSync(PYTHON, link);
    expect(await pythonOf(dirname(link))).toBe(link);
  });

  it.each(["exit 3", "echo .", "echo /no/such/python"])("is the shim where it says: %s", async (command) => {
    const { folder, program } = shim(command);
    expect(await pythonOf(folder)).toBe(program);
  });

  it("is the wrapper where Python needs what it sets", async () => {
    const bare = shim(`[ "$NEEDED" = 1 ] || exit 127\necho ${"$0"}`);
    const { folder, program } = shim(`NEEDED=1 exec ${bare.program} "$@"`);
    expect(await pythonOf(folder)).toBe(program);
    expect(bare.counted()).toBe(2);
  });

  it("leaves nothing of a shim that hangs", async () => {
    const noted = join(tempFolder(), "pid");
    const { folder, program } = shim(`sleep 61.73 & echo $! > ${noted}; wait`);
    expect(await pythonOf(folder)).toBe(program);
    const pid = Number(readFileSync(noted, "utf8"));
    // Its end of the pipe is closed a moment before it is over.
    await eventually("the shim's own child has ended", () => hasEnded(pid), 1);
  });

  it("is asked for again where it is gone", async () => {
    const link = join(tempFolder(), "python3");
    symlinkSync(PYTHON, link);
    const { folder, program } = shim(`echo ${link}`);
    expect(await pythonOf(folder)).toBe(link);
    execFileSync("rm", [link]);
    expect(await pythonOf(folder)).toBe(program);
  });
});

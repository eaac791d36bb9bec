import { getEventListeners } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { SetupError } from "../../../src/errors.js";
import { listProcesses } from "../../../src/process/proc.js";
import { runTool } from "../../../src/provision/tools/run-tool.js";
import { provisioning } from "../../support/provisioning.js";

const remedy = (): string => "do this";

async function failureOf(work: Promise<unknown>): Promise<SetupError> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof SetupError)) throw new Error(`expected a SetupError, not ${String(error)}`);
  return error;
}

describe("runTool", () => {
  it("gives the standard output, passes arguments as they are, and keeps a log", async () => {
    const { context, program } = await provisioning();
    await program("tool", 'for word; do echo "<$word>"; done; echo noise >&2');
    const words = ["$(touch x)", "; exit 9", "a  b", '"', "-o/etc/x", ""];
    expect(await runTool(context, { step: "try it", command: ["tool", ...words], remedy })).toBe(
      words.map((word) => `<${word}>\n`).join(""),
    );
    expect(await readFile(join(context.run.tempDir, "try-it.log"), "utf8")).toContain("noise");
  });

  it("says step, command, exit code and way out, with the last lines", async () => {
    const { context, program } = await provisioning();
    await program("tool", 'i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo "line $i" >&2; done; exit 7');
    const error = await failureOf(runTool(context, { step: "installing x", command: ["tool", "a b"], remedy }));
    expect(error.message).toBe("installing x: `tool 'a b'` ended with exit code 7; do this");
    expect(error.log.split("\n")).toEqual(Array.from({ length: 25 }, (_, index) => `line ${36 + index}`));
  });

  it("tells a tool that is not there, is no program, was killed, or hangs", async () => {
    const { context, program } = await provisioning();
    const message = async (command: [string], timeoutSec?: number): Promise<string> =>
      (await failureOf(runTool(context, { step: "s", command, remedy, ...(timeoutSec && { timeoutSec }) }))).message;
    expect(await message(["nothing"])).toBe("s: `nothing` is not on PATH; do this");
    expect(await message(["/not/there"])).toBe("s: `/not/there` is not there, or is not a program; do this");
    await program("killed", "kill -9 $$");
    expect(await message(["killed"])).toBe("s: `killed` was killed by a signal; do this");
    await program("hangs", "exec /bin/sleep 2");
    expect(await message(["hangs"], 0.1)).toBe("s: `hangs` gave no answer within 0.1 s; do this");
  });

  it("leaves nothing at the run's signal, also where tools overlap and memory is collected meanwhile", async () => {
    const { context, program } = await provisioning();
    await program("slow", "exec /bin/sleep 0.5");
    const tools = Array.from({ length: 3 }, () => runTool(context, { step: "s", command: ["slow"], remedy }));
    await sleep(200);
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    await Promise.all(tools);
    expect(getEventListeners(context.run.signal, "abort")).toEqual([]);
  });

  it("ends a tool that never ends, with all that it started, and says what took how long", async () => {
    const { context, program } = await provisioning();
    // A build that left the tool's session and parent, and takes no hint.
    await program("build", "trap '' TERM; echo building $$; while :; do /bin/sleep 1; done");
    await program("endless", "(/usr/bin/setsid build &); while :; do /bin/sleep 1; done");
    const lines: string[] = [];
    const tool = {
      step: "installing x",
      command: ["endless"],
      remedy,
      onLine: (line: string) => lines.push(line),
    } as const;
    const error = await failureOf(runTool(context, { ...tool, limitSec: 2 }));
    expect(error.message).toBe(
      "installing x: `endless` did not end within 2 s and was ended; the last lines of its output show what it was doing: run it by hand to see what it waits for",
    );
    const pid = Number(/^building (\d+)$/.exec(error.log)?.[1]);
    expect(pid).toBeGreaterThan(1);
    expect(lines).toEqual([`building ${pid}`]);
    // A container's first process may leave it as a zombie.
    expect(listProcesses().map((one) => one.pid)).not.toContain(pid);
  });

  it("takes megabytes without a line end apart, so that no piece makes the next one slower, and keeps a part of them", async () => {
    const { context, program } = await provisioning();
    await program("loud", "exec /usr/bin/head -c 100000000 /dev/zero");
    const pieces: number[] = [];
    await runTool(context, { step: "s", command: ["loud"], remedy, onLine: (line) => pieces.push(line.length) });
    expect(pieces.length).toBeGreaterThan(100_000_000 / (2 * 64 * 1024) - 1);
    // A full line, and what came after it in one read.
    expect(Math.max(...pieces)).toBeLessThanOrEqual(64 * 1024 + 64 * 1024);
    expect((await stat(join(context.run.tempDir, "s.log"))).size).toBeLessThan(65 * 1024 * 1024);
  });

  it("does not wait for what a tool leaves behind", async () => {
    const { context, program } = await provisioning();
    await program("leaves", "/bin/sleep 60 & echo $!");
    const left = Number(await runTool(context, { step: "s", command: ["leaves"], remedy }));
    expect(left).toBeGreaterThan(1);
    // It still runs. After a wait for it there would be nothing to end.
    expect(process.kill(left, "SIGKILL")).toBe(true);
  });

  it("survives a tool that never reads its input", async () => {
    const { context, program } = await provisioning();
    await program("quick", "exec <&-; exit 0");
    for (let turn = 0; turn < 10; turn++) await runTool(context, { step: "s", command: ["quick"], remedy });
  });

  it("lets no token and no input of the host through, and marks the child as the run's", async () => {
    const { context, program } = await provisioning({
      GITHUB_TOKEN: "secret-1",
      INPUT_TOKEN: "secret-2",
      ACTIONS_RUNTIME_TOKEN: "secret-3",
      GITHUB_ENV: "/secret-4",
      PIP_INDEX_URL: "https://index.example/simple",
    });
    await program("tool", "/usr/bin/env");
    const seen = await runTool(context, { step: "s", command: ["tool"], env: { EXTRA: "1" }, remedy });
    expect(seen).not.toContain("secret");
    expect(seen).toMatch(/^SERVER_BENCH_RUN=test$/m);
    expect(seen).toMatch(/^PIP_INDEX_URL=/m);
    expect(seen).toMatch(/^EXTRA=1$/m);
  });

  it("hides passwords in addresses", async () => {
    const { context, program } = await provisioning();
    await program("tool", 'echo "at $1" >&2; exit 1');
    const command = ["tool", "git+https://me:secret@host/x"] as const;
    const error = await failureOf(runTool(context, { step: "s", command, remedy }));
    expect(`${error.message}${error.log}`).not.toContain("secret");
  });

  it("gives lines as they come, a progress bar's redraws too, and keeps those out of the log's end", async () => {
    const { context, program } = await provisioning();
    await program("tool", "printf '  Building [==> ] 1/3: a\\r  Building [===>] 2/3: b\\rerror: no\\n' >&2; exit 1");
    const lines: string[] = [];
    const onLine = (line: string): unknown => lines.push(line.trim());
    const error = await failureOf(runTool(context, { step: "s", command: ["tool"], remedy, onLine }));
    expect(lines).toEqual(["Building [==> ] 1/3: a", "Building [===>] 2/3: b", "error: no"]);
    expect(error.log).toBe("error: no");
  });

  it("throws the run's reason when that is aborted, before and during", async () => {
    const { context, program, abort } = await provisioning();
    await program("tool", "exec /bin/sleep 2");
    const reason = new Error("interrupted");
    const running = runTool(context, { step: "s", command: ["tool"], remedy });
    setTimeout(() => abort.abort(reason), 100);
    await expect(running).rejects.toBe(reason);
    await expect(runTool(context, { step: "s", command: ["tool"], remedy })).rejects.toBe(reason);
  });
});

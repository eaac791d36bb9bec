/** `report` does not wait for signals. One that comes while it writes results.json must not leave a half-written file. */
import { readdirSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { invoke, tempFolder } from "../support/cli.js";

/** The file is written in some 10 ms, which one look in a few may miss. */
const TRIES = 40;

/** @returns whether the signal came while the file was written */
async function interruptWhileWriting(out: string, signal: NodeJS.Signals): Promise<boolean> {
  const report = invoke(["report", "docs/example/results.json", "--out", out]);
  let over = false;
  const ended = report.ended.finally(() => {
    over = true;
  });
  while (!over && !readdirSync(out).some((name) => name.endsWith(".tmp"))) await turn();
  if (!over) process.kill(report.pid, signal);
  // Null: the signal ended it.
  return (await ended).code === null;
}

it.each(["SIGINT", "SIGTERM"] as const)("leaves no half-written file after %s", async (signal) => {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const out = tempFolder();
    const struck = await interruptWhileWriting(out, signal);
    expect(readdirSync(out).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    if (struck) return;
  }
  throw new Error(`no signal came while the file was written, in ${TRIES} tries`);
});

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Session } from "../../src/commands/session.js";
import { Interrupted } from "../../src/errors.js";

let parent: string;
let listeners: number;
beforeEach(() => {
  listeners = process.listenerCount("SIGTERM");
  parent = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe("a session", () => {
  it("hears a signal before it has a folder, and removes the folder", async () => {
    const opening = Session.open({ ...process.env, RUNNER_TEMP: parent });
    process.emit("SIGTERM", "SIGTERM");
    {
      await using session = await opening;
      expect(session.context.signal.reason).toBeInstanceOf(Interrupted);
      expect(readdirSync(parent)).toHaveLength(1);
    }
    expect(readdirSync(parent)).toEqual([]);
    expect(process.listenerCount("SIGTERM")).toBe(listeners);
  });

  it("that cannot have a folder hears no signals", async () => {
    const file = join(parent, "file");
    writeFileSync(file, "");
    await expect(Session.open({ ...process.env, RUNNER_TEMP: file })).rejects.toThrow(
      /^cannot make a temporary folder/,
    );
    expect(process.listenerCount("SIGTERM")).toBe(listeners);
  });
});

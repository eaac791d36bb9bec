import { expect, it } from "vitest";
import { machineFault } from "../../../src/messages/machine-fault.js";
import { git } from "../../../src/provision/sides/git.js";

it("keeps the system's own error, which tells a machine without room for a process from a wrong commit", async () => {
  const error = await git("/no/such/folder", "status").catch((one: unknown) => one);
  const cause = error instanceof Error ? error.cause : undefined;
  expect(cause).toMatchObject({ code: "ENOENT", syscall: "spawn git" });
  const refused = new Error("spawn git EAGAIN", { cause: Object.assign(cause as Error, { code: "EAGAIN" }) });
  expect(machineFault(refused)?.message).toMatch(/^no further process can be started: raise the limit/);
});

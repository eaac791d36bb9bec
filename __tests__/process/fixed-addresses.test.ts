/** Addresses in memory: the same in every start with the same limit of the stack, where Linux allows it. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { canFixAddresses } from "../../src/process/fixed-addresses.js";
import { startServer } from "../../src/process/group.js";
import { FIX_ADDRESSES } from "../../src/process/supervisor.js";
import { testRun } from "../support/run.js";

const MIB = 1024 * 1024;
/** Where its heap, its stack and its C library begin. */
const PLACES = `
for line in open("/proc/self/maps"):
    if "[heap]" in line or "[stack]" in line or "libc" in line:
        print(line.split("-")[0], line.split()[-1])
`;
/** util-linux says independently whether this machine allows it. */
const allowed = spawnSync("setarch", ["-R", "true"]).status === 0;

async function placesWith(stackBytes?: number) {
  await using run = testRun();
  const command = ["python3", "-c", PLACES];
  const usual = { cwd: "/", sourceEnv: process.env, extraEnv: {}, cpuList: "0" };
  await using server = await startServer({ ...usual, command, stackBytes }, run);
  await server.exited;
  return { fixed: server.fixedAddresses, places: server.logTail() };
}

/** What `fix_addresses` answers. @param before runs before it */
function answerOf(stackBytes: number, before: { readonly argv?: readonly string[]; readonly code?: string } = {}) {
  const program = `${before.code ?? ""}\n${FIX_ADDRESSES}\nprint(fix_addresses(${stackBytes}))`;
  const [command = "", ...args] = [...(before.argv ?? []), "python3", "-I", "-S", "-c", program];
  const { stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return { answer: stdout.trim(), stderr };
}

describe("a server's addresses", () => {
  it.skipIf(!allowed)(
    "are the same in each start with the same limit of the stack, and others with another one",
    async () => {
      const first = await placesWith(128 * MIB);
      expect(first).toMatchObject({ fixed: true, places: expect.stringMatching(/heap[\s\S]*libc[\s\S]*stack/) });
      expect(await placesWith(128 * MIB)).toEqual(first);
      const moved = await placesWith(150 * MIB);
      expect(moved.fixed).toBe(true);
      expect(moved.places).not.toBe(first.places);
    },
  );

  it("are drawn by the kernel without one", async () => {
    const [one, other] = [await placesWith(), await placesWith()];
    expect([one.fixed, other.fixed]).toEqual([false, false]);
    expect(one.places).not.toBe(other.places);
  });

  it("are drawn where the hard limit of the stack is lower", () => {
    const argv = ["prlimit", `--stack=${8 * MIB}:${8 * MIB}`];
    expect(answerOf(128 * MIB, { argv })).toEqual({ answer: "False", stderr: "" });
  });

  it("are drawn where addresses are limited: each thread reserves as many as the limit of the stack", () => {
    const argv = ["prlimit", `--as=${8 * 1024 * MIB}`];
    expect(answerOf(128 * MIB, { argv })).toEqual({ answer: "False", stderr: "" });
  });

  it("are drawn where a container refuses the system call", () => {
    const code = `
import sys, types
fake = types.ModuleType("ctypes")
fake.c_ulong = int
fake.CDLL = lambda *_, **__: types.SimpleNamespace(personality=lambda asked: 0 if asked == 0xFFFFFFFF else -1)
sys.modules["ctypes"] = fake`;
    expect(answerOf(128 * MIB, { code })).toEqual({ answer: "False", stderr: "" });
  });
});

it("is known beforehand whether they can be the same", async () => {
  expect(await canFixAddresses(128 * MIB, process.env)).toBe(allowed);
  expect(await canFixAddresses(128 * MIB, { PATH: "/nowhere" })).toBe(false);
});

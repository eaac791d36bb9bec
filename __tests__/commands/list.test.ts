/** `list` and its selectors. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, test } from "vitest";
import { main } from "../../src/commands/main.js";
import { ROOT } from "../support/own-set.js";

async function list(...args: string[]) {
  let [stdout, stderr] = ["", ""];
  const code = await main(["list", ...args], {
    ...{ root: ROOT, cwd: ROOT, env: {} },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

interface Listed {
  readonly sets: readonly { readonly name: string; readonly rows: readonly { readonly id: string }[] }[];
  readonly servers: readonly { readonly name: string }[];
}

test("all sets and servers", async () => {
  const { code, stdout } = await list("--json");
  const { sets, servers } = JSON.parse(stdout) as Listed;
  expect(code).toBe(0);
  expect(sets.map(({ name }) => name)).toEqual(expect.arrayContaining(["interfaces", "vs-asgi", "http2"]));
  expect(servers.map(({ name }) => name)).toEqual(expect.arrayContaining(["granian", "uvicorn", "gunicorn"]));
});

describe("selectors", () => {
  it("choose sets, rows, and the servers of these", async () => {
    const { code, stdout } = await list("vs-asgi", "interfaces/rsgi-*");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^vs-asgi {2,}.* benchmarks, \d+ min\)$/m);
    expect(stdout).toContain("  interfaces/rsgi-bytes\n");
    expect(stdout).not.toContain("interfaces/wsgi-bytes");
    expect(stdout).not.toMatch(/^http2 /m);
    expect(stdout).toMatch(/^hypercorn /m);
    expect(stdout).not.toMatch(/^uwsgi /m);
  });

  it("choose the same with --json", async () => {
    const { sets, servers } = JSON.parse((await list("interfaces/rsgi-bytes", "--json")).stdout) as Listed;
    expect(sets.map(({ name, rows }) => [name, rows.map(({ id }) => id)])).toEqual([
      ["interfaces", ["interfaces/rsgi-bytes"]],
    ]);
    expect(servers.map(({ name }) => name)).toEqual(["granian"]);
  });

  it.each([
    ["vs-asgj", 'unknown scenario set "vs-asgj"; did you mean "vs-asgi"?'],
    ["interfaces/rsgi-byte", 'unknown row "interfaces/rsgi-byte"; did you mean "interfaces/rsgi-bytes"?'],
  ])("%s: exit 2", async (selector, message) => {
    const { code, stdout, stderr } = await list(selector);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});

test("a reader that has seen enough is no error", async () => {
  const child = spawn(process.execPath, [join(ROOT, "dist/cli.js"), "list"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

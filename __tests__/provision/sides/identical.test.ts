/** Which rows cannot have changed: a real checkout, and base as `--base` makes it. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PlannedRow, PlannedService } from "../../../src/plan/types.js";
import { isIdenticalOnBothSides } from "../../../src/provision/sides/identical.js";
import { findBase, makeBase } from "../../../src/provision/sides/sides.js";
import { startedDifferently } from "../../../src/provision/sides/started.js";
import { environmentSpec, rowNeeding } from "../../support/provisioning.js";
import { commit, git, newRepository, writeFiles } from "../../support/repository.js";

let temp: string;
let head: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  head = newRepository(join(temp, "head"));
  commit(head, { "bench/app/app.py": "import shop\n", "src/shop.py": "one\n", "bench/cache.py": "import shop\n" });
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

type RowIn = (checkout: string) => PlannedRow;

/** The user's own app, which imports what lies beside it: `PYTHONPATH: ../../src`. */
function ownApp(checkout: string): PlannedRow {
  const row = rowNeeding(environmentSpec());
  const env = { PYTHONPATH: "../../src" };
  return { ...row, server: { ...row.server, cwd: join(checkout, "bench/app"), env } };
}

function builtInApp(): PlannedRow {
  const row = rowNeeding(environmentSpec());
  return { ...row, server: { ...row.server, cwd: join(temp, "server-bench/python-apps") } };
}

/** A built-in app with a service that is started from the user's folder. */
function withService(checkout: string): PlannedRow {
  const service: PlannedService = {
    ...{ name: "cache", command: ["python", "{folder}/cache.py"], folder: join(checkout, "bench"), env: {} },
    ...{ at: "servers.yml:1", ready: { kind: "port" }, timeoutSec: 5 },
  };
  return { ...builtInApp(), preparation: { services: [service], before: [], beforeAt: "", beforeTimeoutSec: 5 } };
}

async function isIdentical(rowIn: RowIn, given = "HEAD", cwd = head): Promise<boolean> {
  const target = join(temp, "base");
  rmSync(target, { recursive: true, force: true });
  const side = await makeBase(await findBase(given, cwd, "folder-or-commit"), cwd, target);
  return await isIdenticalOnBothSides(rowIn(side.cwd), rowIn(cwd), side);
}

/** The own app, as base's and head's scenario files start it. */
async function startedAs(changed: (row: PlannedRow, checkout: string) => Partial<PlannedRow["server"]>) {
  const side = await makeBase(await findBase("HEAD", head, "folder-or-commit"), head, join(temp, "base"));
  const command = ["uvicorn", "--app-dir", join(head, "bench/app"), "--loop", "asyncio", "main:app"];
  const after = ownApp(head);
  const server = { ...after.server, target: "main:app", command, env: { MODE: "fast" } };
  const before = { ...ownApp(side.cwd).server, target: "main:app", env: { MODE: "fast" } };
  const ofBase = command.map((arg) => arg.replace(head, side.cwd));
  return startedDifferently(
    { ...after, server: { ...before, command: ofBase } },
    { ...after, server: { ...server, ...changed({ ...after, server }, head) } },
    side,
  );
}

it.each([
  ["nothing", () => ({}), undefined],
  [
    "its target",
    ({ server }: PlannedRow) => ({ target: "main:tiny", command: [...server.command.slice(0, -1), "main:tiny"] }),
    "target main:app, main:tiny",
  ],
  ["its variables, without their values", () => ({ env: { MODE: "secret", MORE: "1" } }), "variables MODE, MORE"],
  [
    "its command",
    ({ server }: PlannedRow) => ({
      command: server.command.flatMap((arg) => (arg === "asyncio" ? ["uvloop", "-O"] : arg)),
    }),
    "command asyncio, uvloop -O",
  ],
  [
    "its folder",
    ({ server }: PlannedRow, checkout: string) => ({
      cwd: join(checkout, "bench/tiny"),
      command: server.command.map((arg) => arg.replace("bench/app", "bench/tiny")),
    }),
    "folder app, tiny",
  ],
])("says that head's scenario files change %s", async (_, changed, words) => {
  expect(await startedAs(changed)).toBe(words);
});

const tracked = { "src/shop.py": "two, slower\n" };

describe("a row of an own app", () => {
  it("is identical where nothing in the checkout changed", async () => {
    expect(await isIdentical(ownApp)).toBe(true);
    expect(await isIdentical(withService)).toBe(true);
  });

  it("is not where a commit changed a file outside of the app's folder", async () => {
    commit(head, tracked);
    expect(await isIdentical(ownApp, "HEAD~1")).toBe(false);
    expect(await isIdentical(withService, "HEAD~1")).toBe(false);
  });

  it("is not where such a file was edited or added, and not committed", async () => {
    writeFiles(head, tracked);
    expect(await isIdentical(ownApp)).toBe(false);
    git(head, "checkout", "--quiet", "--", ".");
    writeFiles(head, { "src/plugins/new file.py": "slow\n" });
    expect(await isIdentical(ownApp)).toBe(false);
  });

  it("is not where a submodule has other files", async () => {
    const inner = newRepository(join(temp, "inner"));
    commit(inner, { "lib.py": "one\n" });
    git(head, "submodule", "--quiet", "add", inner, "inner");
    commit(head, {});
    expect(await isIdentical(ownApp)).toBe(true);
    writeFiles(head, { "inner/lib.py": "two\n" });
    expect(await isIdentical(ownApp)).toBe(false);
  });

  it("stays identical beside results, installed packages and other repositories", async () => {
    writeFiles(head, {
      "out/of today/results.json": '{\n  "schema": "server-bench/results",\n  "version": 1 }\n',
      "out/of today/logs/install.log": "log\n",
      "node_modules/x/index.js": "x\n",
      "bench/.venv/lib/x.py": "x\n",
      "src/__pycache__/shop.cpython-313.pyc": "x",
      "src/shop.egg-info/PKG-INFO": "x",
      "build/lib/shop.py": "x",
    });
    commit(newRepository(join(head, "server-bench")), { "x.py": "x\n" });
    expect(await isIdentical(ownApp)).toBe(true);
    // Only a results file makes a folder one of results.
    writeFiles(head, { "src/results.json": "{}\n" });
    expect(await isIdentical(ownApp)).toBe(false);
  });

  it("is compared in the same way where base is a folder", async () => {
    const clone = join(temp, "clone");
    git(temp, "clone", "--quiet", head, clone);
    expect(await isIdentical(ownApp, clone)).toBe(true);
    commit(clone, tracked);
    expect(await isIdentical(ownApp, clone)).toBe(false);
  });

  it("is not identical where only one side has a checkout, or both are in one", async () => {
    const files = { "bench/app/app.py": "import shop\n", "src/shop.py": "one\n" };
    writeFiles(join(temp, "plain"), files);
    expect(await isIdentical(ownApp, join(temp, "plain"))).toBe(false);
    commit(head, { "old/bench/app/app.py": "import shop\n", "old/src/shop.py": "another\n" });
    expect(await isIdentical(ownApp, "./old")).toBe(false);
  });

  it("counts by its own folder where there is no git", async () => {
    for (const side of ["plain", "other"]) writeFiles(join(temp, side), { "bench/app/app.py": "one\n", "x.md": side });
    expect(await isIdentical(ownApp, "../other", join(temp, "plain"))).toBe(true);
    writeFiles(join(temp, "other"), { "bench/app/app.py": "two\n" });
    expect(await isIdentical(ownApp, "../other", join(temp, "plain"))).toBe(false);
  });
});

it("a row of a built-in app is identical whatever else a commit changed", async () => {
  commit(head, tracked);
  expect(await isIdentical(builtInApp, "HEAD~1")).toBe(true);
});

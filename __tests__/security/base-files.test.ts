/** Base's environment and checkout are watched while head's code runs; where they changed, no row was compared. */
import { appendFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BaseWatch, InstallWatch } from "../../src/commands/run/base-watch.js";
import type { PairSides } from "../../src/measure/pairs/pair-servers.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import { environmentKey } from "../../src/provision/environments/key.js";
import { app, ROOT, scenarios } from "../support/own-set.js";
import { commit, newRepository, writeFiles } from "../support/repository.js";

let temp: string;
let sides: PairSides;
beforeEach(async () => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  for (const side of ["base", "head"]) {
    const checkout = newRepository(join(temp, side));
    commit(checkout, { ...scenarios("hello"), "hello/app.py": app(0), "lib/shared.py": "one\n", "app.log": "" });
  }
  writeFiles(temp, { "venv/bin/granian": "", "venv/lib/python3/site-packages/granian/__init__.py": "" });
  symlinkSync("lib", join(temp, "venv/lib64"));
  sides = { base: await side("base"), head: await side("head") };
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

async function side(name: string): Promise<PairSides["base"]> {
  const cwd = join(temp, name);
  const plan = await planRun({
    ...{ root: ROOT, cwd, selectors: ["mine"], profile: "quick", cores: 2 },
    scenarios: join(cwd, "bench"),
  });
  const [row] = rowsOf(plan);
  if (!row) throw new Error("no row was planned");
  const binDir = join(temp, "venv/bin");
  return { row, ready: { state: "ready", binDir, pythonVersion: "3.13.1", version: "2.0", packages: [] } };
}

describe("the watch over base's files", () => {
  it.each([
    ["an app's code", "base/hello/app.py", "hello/app.py was changed in base's checkout"],
    ["code beside the app", "base/lib/shared.py", "lib/shared.py was changed in base's checkout"],
    ["new code", "base/hello/sitecustomize.py", "hello/sitecustomize.py was added in base's checkout"],
    [
      "a package",
      "venv/lib/python3/site-packages/granian/__init__.py",
      "lib/python3/site-packages/granian/__init__.py was changed in base's environment",
    ],
    [
      "bytecode",
      "venv/lib/python3/site-packages/granian/x.pyc",
      "lib/python3/site-packages/granian/x.pyc was added in base's environment",
    ],
  ])("sees a change of %s", async (_, file, expected) => {
    const watch = await BaseWatch.begin([sides]);
    appendFileSync(join(temp, file), "import time\n");
    expect(await watch.problem()).toMatch(
      `base's files changed while rows were measured (${expected}): the pairs do not compare head with base.`,
    );
  });

  it("lets head write to its own checkout, and base add data to its own", async () => {
    const watch = await BaseWatch.begin([sides]);
    writeFiles(temp, { "head/hello/app.py": app(1), "base/db.sqlite3": "x" });
    expect(await watch.problem()).toBeUndefined();
  });

  it("leaves out a checkout that is head's too", async () => {
    const watch = await BaseWatch.begin([{ base: sides.head, head: sides.head }]);
    writeFiles(temp, { "head/hello/app.py": app(1) });
    expect(await watch.problem()).toBeUndefined();
  });
});

it("base's files are watched while head is built", async () => {
  const pair = { base: sides.base.row, head: sides.head.row, connections: 16 };
  const others = { control: undefined, identical: [], alone: [], uncompared: [] };
  const watch = new InstallWatch({ base: {}, measured: [pair], ...others }, temp);
  const ofBase = new Map([[environmentKey(pair.base.environment), sides.base.ready]]);
  await watch.buildHead(ofBase, async () => appendFileSync(join(temp, "base/hello/app.py"), "# slower from here on\n"));
  expect(watch.problem).toMatch(
    "base's files changed while head was installed (hello/app.py was changed in base's checkout)",
  );
});

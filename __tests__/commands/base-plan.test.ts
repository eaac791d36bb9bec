/** What is said of both sides before anything is installed: a real checkout with a row of its own app. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { planPaired } from "../../src/commands/run/base-plan.js";
import { planRun } from "../../src/plan/plan.js";
import { findBase } from "../../src/provision/sides/sides.js";
import { ROOT } from "../support/own-set.js";
import { commit, newRepository, writeFiles } from "../support/repository.js";
import { sideFolders } from "../support/side-folders.js";

const folders = sideFolders();

/** Of a row without changes, as `--base HEAD` plans it. @param app in servers.yml */
async function planned(app: string) {
  const checkout = newRepository(folders.path("checkout"));
  commit(checkout, {
    ".gitignore": "local_settings.py\n",
    "app/hello.py": "def app(environ, start): ...\n",
    "bench/servers.yml": 'apps:\n  mine: { interface: wsgi, path: ../app, target: "hello:app" }\n',
    "bench/mine.yml": `title: Mine\nlabel: Server\nrows:\n  - { title: One, server: waitress, interface: wsgi, ${app}request: bytes, connections: 4 }\n`,
  });
  writeFiles(checkout, { "app/local_settings.py": "SLOW = True\n" });
  const options = { root: ROOT, cwd: checkout, selectors: ["mine"], profile: "quick", cores: 2 } as const;
  const scenarios = join(checkout, "bench");
  const silent = { write: () => {} };
  const nothing = () => {};
  const said: string[] = [];
  const plan = await planPaired({
    source: await findBase("HEAD", checkout, "folder-or-commit"),
    plan: await planRun({ ...options, scenarios }),
    options: { ...options, scenarios },
    python: undefined,
    context: { root: ROOT, cwd: checkout, env: process.env, stdout: silent, stderr: silent },
    progress: {
      started: nothing,
      update: nothing,
      finished: nothing,
      failed: nothing,
      note: (text) => said.push(text),
    },
    tempDir: folders.path("run"),
  });
  return { ...plan, said };
}

it("names ignored files of head where an app of the checkout could read them", async () => {
  const { control, notes } = await planned("app: mine, ");
  expect(control?.head.id).toBe("mine/one");
  expect(notes).toEqual([
    expect.stringMatching(/ignores and base lacks: app\/local_settings\.py\. An app that reads it/),
  ]);
});

it("has nothing to say of them where the app is a built-in one", async () => {
  const { control, notes, said } = await planned("");
  expect(control?.head.id).toBe("mine/one");
  expect(notes).toEqual([]);
  // Whoever commits on the branch that --base names compares it with itself.
  expect(said).toEqual([
    "--base HEAD has the same files as the checkout, so there is no change to measure: give another commit",
  ]);
});

/** Apps that cannot be measured: the row says what is wrong with the app, and what would be right. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { app, runIn } from "../support/own-set.js";
import { writeFiles } from "../support/repository.js";

const TIMEOUT_MS = 240_000;

let temp: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

const BAD: Readonly<Record<string, { readonly fields: string; readonly files: Readonly<Record<string, string>> }>> = {
  missing: { fields: "target: shop:app", files: { "shop.py": "import os\nimport no_such_thing.part\n" } },
  forgotten: {
    fields: "target: shop.main:app",
    files: { "shop/__init__.py": "", "shop/main.py": "from .prices import price\n" },
  },
  elsewhere: { fields: "target: shops.main:app", files: { "shop.py": app(0) } },
  broken: { fields: "target: shop:app", files: { "shop.py": "import os\n\nLIMIT = int('many')\n" } },
  verbose: { fields: "target: shop:app", files: { "shop.py": "raise RuntimeError('x' * 30_000)\n" } },
  renamed: { fields: "target: shop:application", files: { "shop.py": app(0) } },
  data: { fields: "target: shop:app", files: { "shop.py": "app = {'no': 'app'}\n" } },
  "another-interface": {
    fields: "target: shop:app",
    files: {
      "shop.py": "def app(environ, start_response):\n    start_response('200 OK', [])\n    return [b'Hello']\n",
    },
  },
  unprepared: { fields: "before: [[python, -c, 'import sys; sys.exit(\"no table\")']]", files: { "app.py": app(0) } },
  unserved: { fields: "services: [store]", files: { "app.py": app(0) } },
};

function scenarios(): Record<string, string> {
  const apps = Object.entries(BAD).map(
    ([name, { fields }]) => `  ${name}: { interface: asgi, path: ../${name}, ${fields} }`,
  );
  const rows = Object.keys(BAD).map((name) => `  - { title: ${name}, app: ${name} }`);
  return {
    "bench/servers.yml": `servers:
  quick: { extends: uvicorn, ready-timeout: 3 }
services:
  store: { command: [python, -c, "import time; time.sleep(60)"], timeout: 1 }
apps:
${apps.join("\n")}
requests:
  greeting: { path: /, expect: { body: { text: Hello } } }
`,
    "bench/mine.yml": `title: Mine\ndefaults: { server: quick, request: greeting, connections: 4 }\nrows:\n${rows.join("\n")}\n`,
  };
}

const REASONS: Readonly<Record<string, RegExp>> = {
  missing:
    /^the app does not import: ModuleNotFoundError: No module named 'no_such_thing' \(shop\.py:2\): add what provides no_such_thing to `requires` or `install` of the app; the server did not get ready/,
  forgotten:
    /^the app does not import: ModuleNotFoundError: No module named 'shop\.prices' \(shop\/main\.py:1\): the app's own shop\.prices is not there\. Add it, or correct the import; /,
  elsewhere:
    /^the app does not import: ModuleNotFoundError: No module named 'shops'.*: correct `path` and `target` of the app/,
  broken: /^the app does not import: ValueError: invalid literal for int\(\) with base 10: 'many' \(shop\.py:3\); /,
  verbose: /^the app does not import: RuntimeError: x{1983}\.\.\. \(shop\.py:1\); /,
  renamed:
    /^the target shop:application is not there: the module shop has no application; it has app: correct `target`/,
  data: /^the target shop:app is a dict and cannot be called: `target` names the application object; /,
  "another-interface":
    /^the target shop:app looks like a WSGI app, but the scenario file says `interface: asgi`: write `interface: wsgi`/,
  unprepared: /servers\.yml:\d+: apps\.unprepared\.before\[0\]: `python -c .*` failed \(exit code 1\): no table$/,
  unserved:
    /servers\.yml:4: services\.store: the service store is not ready after 1 s \(no connection to port \d+\): if it needs longer, raise its `timeout`$/,
};

it("says what is wrong with each of them", { timeout: TIMEOUT_MS }, async () => {
  writeFiles(temp, scenarios());
  for (const [name, { files }] of Object.entries(BAD)) writeFiles(join(temp, name), files);
  const { code, output, errors } = await runIn(
    temp,
    join(temp, "out"),
    "mine",
    "--scenarios",
    "bench",
    "--profile",
    "quick",
  );
  expect(code, output + errors).toBe(3);
  const { cases } = await readResults(join(temp, "out/results.json"));
  const reasons = Object.fromEntries(cases.map((one) => [one.title, "reason" in one ? one.reason : one.state]));
  for (const [name, reason] of Object.entries(REASONS)) expect(reasons[name]).toMatch(reason);
});

it("names the side in a comparison, and measures head alone", { timeout: TIMEOUT_MS }, async () => {
  for (const side of ["base", "head"]) {
    const seed =
      side === "base"
        ? "import sys; sys.exit('no table')"
        : "import os; open(os.environ['SERVER_BENCH_DATA'] + '/db', 'w')";
    const shop = app(0).replace(
      'b"Hello"',
      "open(__import__('os').environ['SERVER_BENCH_DATA'] + '/db', 'rb').read() + b'Hello'",
    );
    writeFiles(join(temp, side), {
      ...scenarios(),
      "bench/servers.yml": `apps:\n  shop: { interface: asgi, path: ../shop, before: [[python, seed.py]] }\nrequests:\n  greeting: { path: /, expect: { body: { text: Hello } } }\n`,
      "bench/mine.yml":
        "title: Mine\nrows:\n  - { title: Shop, app: shop, server: uvicorn, request: greeting, connections: 4 }\n",
      "shop/app.py": shop,
      "shop/seed.py": `${seed}\n`,
    });
  }
  const args = ["mine", "--scenarios", "bench", "--profile", "quick", "--base", "../base"];
  const { code, output, errors } = await runIn(join(temp, "head"), join(temp, "out"), ...args);
  expect(code, output + errors).toBe(0);
  const { cases, comparison } = await readResults(join(temp, "out/results.json"));
  expect(comparison?.notCompared).toMatchObject([
    { kind: "failed-in-base", reason: expect.stringMatching(/before\[0\]: .*no table$/) },
  ]);
  expect(cases.map(({ side, state }) => [side, state])).toEqual([
    ["base", "failed"],
    ["head", "completed"],
  ]);
});

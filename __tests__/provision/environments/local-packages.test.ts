import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { localPackages } from "../../../src/provision/environments/local-packages.js";
import { writeFiles } from "../../support/repository.js";

let venv: string;
beforeEach(() => {
  venv = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(venv, { recursive: true, force: true }));

it("names what came from a folder or a file, and nothing that came from an index or a remote", async () => {
  const site = "lib/python3.13/site-packages";
  writeFiles(venv, {
    [`${site}/my_shop-0.1.dev2+g12.dist-info/direct_url.json`]: '{"url":"file:///src/shop","dir_info":{}}',
    [`${site}/granian-2.8.0.dist-info/direct_url.json`]: '{ "url": "file:///wheels/granian.whl" }',
    [`${site}/uvicorn-0.54.0.dist-info/direct_url.json`]: '{"url":"https://host/uvicorn.git","vcs_info":{}}',
    [`${site}/click-8.1.dist-info/METADATA`]: "Name: click\n",
    "lib/six.py": "",
  });
  expect(await localPackages(venv)).toEqual(["granian", "my_shop"]);
  expect(await localPackages(join(venv, "nothing"))).toEqual([]);
});

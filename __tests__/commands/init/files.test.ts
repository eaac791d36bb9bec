/** `init` writes into the project, and nowhere else. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkFolder } from "../../../src/commands/init/files.js";
import { renderHardenedWorkflow, renderWorkflow } from "../../../src/init/workflow.js";

const WRITTEN = ["benchmarks/servers.yml", "benchmarks/shop.yml", "../.github/workflows/benchmark-shop.yml"];

const OPEN = "$".concat("{{");

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  mkdirSync(join(top, "shop"));
  mkdirSync(join(top, "elsewhere"));
});
afterEach(() => rmSync(top, { recursive: true }));

it.each(["shop/benchmarks", ".github", ".github/workflows", ".github/workflows/benchmark-shop.yml"])(
  "refuses %s that is a link",
  async (path) => {
    mkdirSync(join(top, path, ".."), { recursive: true });
    symlinkSync(join(top, "elsewhere"), join(top, path));
    await expect(checkFolder(join(top, "shop"), WRITTEN)).rejects.toThrow(/: is a link, and init writes nothing/);
  },
);

it("takes a project that is reached by a link", async () => {
  symlinkSync(join(top, "shop"), join(top, "by-link"));
  mkdirSync(join(top, "shop/benchmarks"));
  await checkFolder(join(top, "by-link"), WRITTEN);
});

it("gives GitHub no expression of a folder's name", () => {
  const place = { name: "shop", python: "3.12.1", folder: `a/${OPEN} github.token }}` };
  for (const render of [renderWorkflow, renderHardenedWorkflow])
    expect(render("jobs:\n      scenarios-dir: benchmarks\n", place)).toContain(
      `a/${OPEN} '${OPEN}' }} github.token }}/benchmarks`,
    );
});

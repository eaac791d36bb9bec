/** The oldest Node that is claimed is the one that is checked, and an older one gets one sentence. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { nodeTooOld } from "../src/node-floor.js";

const ROOT = join(import.meta.dirname, "..");
const run = promisify(execFile);

it("is the floor that package.json claims", () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(engines.node).toBe(">=20.15");
  expect(nodeTooOld("20.15.0")).toBeUndefined();
  expect(nodeTooOld("22.0.0")).toBeUndefined();
  expect(nodeTooOld("20.14.9")).toBeDefined();
  expect(nodeTooOld("18.20.4")).toBeDefined();
});

it("ends the program before anything else is loaded, with one sentence", async () => {
  const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.14.0" } });`;
  const preload = `data:text/javascript,${encodeURIComponent(old)}`;
  const failed = await run(process.execPath, ["--import", preload, join(ROOT, "dist", "cli.js"), "list"]).catch(
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect(failed).toMatchObject({
    code: 2,
    stdout: "",
    stderr:
      "server-bench needs Node 20.15 or newer, and this is Node 20.14.0; install a newer one (https://nodejs.org)\n",
  });
});

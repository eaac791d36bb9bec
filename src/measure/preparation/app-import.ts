/**
 * Imports an app with the Python of its environment, without a server, and looks at it: whether a server can serve it, and which
 * routes it has. `init` proposes pages from that; a run explains with it why a server did not start.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { DATA_VARIABLE, fillPlaceholders } from "../../plan/prepared-variables.js";
import { INTERFACES } from "../../plan/schema.js";
import type { PlannedRow } from "../../plan/types.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import { formatCpuList } from "../machine/cpus.js";
import { type CommandEnd, runCommand } from "./command.js";
import { anyAddress, type PreparationContext, programVariables } from "./prepare.js";

const SCRIPT = join("python-apps", "inspect", "inspect_app.py");

const routeSchema = v.object({ path: v.string(), methods: v.array(v.string()), parameters: v.boolean() });
export type AppRoute = v.InferOutput<typeof routeSchema>;

const answerSchema = v.variant("state", [
  v.object({
    state: v.literal("found"),
    /** The interface that it has instead of the row's; null where it fits, or where that does not show. */
    takes: v.nullable(v.picklist(INTERFACES)),
    framework: v.string(),
    routes: v.array(routeSchema),
    /** That a request has to name; null: any. */
    host: v.nullable(v.string()),
  }),
  v.object({
    state: v.literal("failed"),
    /** `ModuleNotFoundError: No module named 'yaml'` */
    error: v.string(),
    traceback: v.string(),
    /** Of ModuleNotFoundError. */
    missing: v.nullable(v.string()),
    /** The innermost line of the project's own code, else the innermost one: `shop/main.py:3`. */
    place: v.nullable(v.string()),
    /** The first error of a chain (`raise ... from ...`); null: there is no other. */
    cause: v.nullable(v.object({ error: v.string(), place: v.nullable(v.string()) })),
  }),
  v.object({ state: v.literal("no-object"), module: v.string(), name: v.string(), callables: v.array(v.string()) }),
  v.object({ state: v.literal("no-callable"), type: v.string(), callables: v.array(v.string()) }),
]);
export type AppAnswer = v.InferOutput<typeof answerSchema>;

interface Importing {
  readonly limitSec: number;
  /** Ask for the routes too. What is wrong with them then counts as a failed import. */
  readonly routes: boolean;
}

/**
 * @returns the answer, or how Python ended without one
 * @throws the run's abort reason
 */
export async function importApp(
  row: PlannedRow,
  ready: ReadyEnvironment,
  context: PreparationContext,
  { limitSec, routes }: Importing,
): Promise<AppAnswer | { readonly state: "none"; readonly end: CommandEnd }> {
  const { target = "", interface: wanted, cwd } = row.server;
  const output = join(context.run.tempDir, `app-${randomBytes(4).toString("hex")}.json`);
  const asked = [cwd, target, wanted, routes ? "routes" : "app", output];
  const command = [join(ready.binDir, "python"), scriptPath(), ...asked];
  // A row that is not prepared has no folder for data yet.
  const dataDir = await mkdtemp(join(context.run.tempDir, "data-import-"));
  const known = { [DATA_VARIABLE]: dataDir, ...row.server.env, ...(await anyAddress()) };
  const extraEnv = { [DATA_VARIABLE]: dataDir, ...fillPlaceholders(programVariables(row, ready, context), known) };
  const cpuList = formatCpuList(context.cpus.server);
  const end = await runCommand({ command, cwd, sourceEnv: context.env, extraEnv, cpuList }, limitSec, context.run);
  const text = await readFile(output, "utf8").catch(() => undefined);
  for (const made of [output, `${output}.part`, dataDir]) await rm(made, { recursive: true, force: true });
  return parseAnswer(text) ?? { state: "none", end };
}

/** @returns undefined for a text that the script did not write to its end */
export function parseAnswer(text: string | undefined): AppAnswer | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const checked = v.safeParse(answerSchema, value);
  return checked.success ? checked.output : undefined;
}

/** Beside the sources, or beside dist/. */
function scriptPath(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, SCRIPT)) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, SCRIPT);
}

/** Whether what is missing is of the same package as the target: nothing else can provide it. */
export function isOfTarget(target: string, missing: string): boolean {
  const [top = ""] = target.split(/[.:]/);
  return missing.startsWith(`${top}.`);
}

/** Whether what is missing is the target itself, or a package around it. */
export function isTargetMissing(target: string, missing: string): boolean {
  const [module = ""] = target.split(":");
  return module === missing || module.startsWith(`${missing}.`);
}

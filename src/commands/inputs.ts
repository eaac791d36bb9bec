/** The action's inputs -> the options of a run; the same checks as the command line's. */
import { resolve } from "node:path";
import { splitSelectors } from "../plan/select.js";
import { DEFAULTS } from "./options.js";
import { failOnNamed, type RunOptions } from "./run.js";

/** @param input the value of an input, "" when it was not given */
export function optionsFromInputs(input: (name: string) => string, workspace: string): RunOptions {
  const selectors = splitSelectors([input("scenarios")]);
  const servers = linesOf(input("servers"));
  const baseline = { files: linesOf(input("base-results")), anchors: linesOf(input("anchor")) };
  const profile = input("profile") || DEFAULTS.profile;
  const scenarios = input("scenarios-dir");
  const python = input("python");
  const chosen = selectors.length === 0 ? [...DEFAULTS.selectors] : selectors;
  return {
    selectors: chosen,
    profile,
    out: resolve(workspace, input("out") || DEFAULTS.out),
    ...(scenarios === "" ? {} : { scenarios: resolve(workspace, scenarios) }),
    servers,
    ...(python === "" ? {} : { python }),
    failOn: failOnNamed(input("fail-on") || DEFAULTS.failOn),
    baseline,
    command: [
      ...["server-bench", "run", ...chosen, "--profile", profile],
      ...(scenarios === "" ? [] : ["--scenarios", scenarios]),
      ...servers.flatMap((server) => ["--server", server]),
      ...(python === "" ? [] : ["--python", python]),
      ...baseline.files.flatMap((file) => ["--base-results", file]),
      ...baseline.anchors.flatMap((server) => ["--anchor", server]),
    ],
  };
}

function linesOf(value: string): string[] {
  return value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A choice -> the text of benchmarks/servers.yml and of the set. */
import { stringify } from "yaml";
import type { Choice, ChosenRoute } from "./choice.js";
import type { Dependencies } from "./dependencies.js";

const options = { lineWidth: 110 } as const;

/** @param path of the project's folder, as the file should name it */
export function renderServersFile(choice: Choice, path: string): string {
  const { interface: interfaceName, folder, target, env } = choice.app;
  const app = {
    interface: interfaceName,
    path: folder === "" ? path : `${path}/${folder}`,
    target,
    ...installOf(choice.dependencies, folder),
    ...(choice.python !== undefined && { python: choice.python }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(choice.before.length > 0 && { before: choice.before }),
  };
  return [
    "# What is measured: the app and its requests. docs/scenario-files.md of server-bench explains every field.",
    stringify({ apps: { [choice.name]: app } }, options).trimEnd(),
    "",
    "# What each side answers first is what is expected of it; `expect` can say more.",
    stringify({ requests: Object.fromEntries(choice.routes.map(requestOf)) }, options),
  ].join("\n");
}

export function renderSetFile({ title, name, app, server, routes }: Choice): string {
  const knobs = Object.keys(server.knobs).length === 0 ? {} : { knobs: server.knobs };
  const defaults = { app: name, interface: app.interface, server: server.name, ...knobs, connections: 64 };
  const rows = routes.map((route) => ({ title: route.path, request: route.name }));
  return stringify({ title, label: "Page", defaults, rows }, options);
}

/** The file that says what to install, so that each side reads its own; and what `--requires` adds. */
function installOf({ source, added }: Dependencies, folder: string): object {
  const requires = added.length === 0 ? {} : { requires: added.map(({ text }) => text) };
  // Paths are relative to the app's folder.
  const up = folder === "" ? "" : "../".repeat(folder.split("/").length);
  const project = up === "" ? "." : up.slice(0, -1);
  switch (source.kind) {
    case "none":
      return requires;
    case "lock":
      return { ...requires, install: { lock: `${up}${source.file}`, ...(source.installable && { project }) } };
    case "requirements":
      return { ...requires, install: { requirements: [`${up}${source.file}`] } };
    case "project":
      return { ...requires, install: { project } };
  }
}

function requestOf({ name, path, headers, status }: ChosenRoute): readonly [string, object] {
  const sent = Object.keys(headers).length === 0 ? { path } : { path, headers };
  return [name, { ...sent, ...(status !== undefined && { expect: { status } }) }];
}

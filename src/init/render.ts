/** A choice -> the text of benchmarks/servers.yml and of the set. */
import { posix } from "node:path";
import { stringify } from "yaml";
import type { Choice, ChosenRoute } from "./choice.js";
import type { Dependencies } from "./dependencies.js";
import { folderOf } from "./project.js";

const options = { lineWidth: 110 } as const;
const CONNECTIONS = 64;
/** A thread has one request at a time. More connections would wait in line, and a slice has several requests of each. */
const CONNECTIONS_OF_THREADS = 16;

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
  const defaults = {
    app: name,
    interface: app.interface,
    server: server.name,
    ...knobs,
    connections: connectionsOf(app, server),
  };
  const rows = routes.map((route) => ({ title: route.path, request: route.name }));
  return stringify({ title, label: "Page", defaults, rows }, options);
}

function connectionsOf(app: Choice["app"], server: Choice["server"]): number {
  const greenlets = [server.name, ...Object.values(server.knobs)].some((one) => /gevent/.test(String(one)));
  return app.interface === "wsgi" && !greenlets ? CONNECTIONS_OF_THREADS : CONNECTIONS;
}

/** The file that says what to install, so that each side reads its own; and what `--requires` adds. */
function installOf({ source, added }: Dependencies, folder: string): object {
  const requires = added.length === 0 ? {} : { requires: added.map(({ text }) => text) };
  if (source.kind === "none") return requires;
  // Paths are relative to the app's folder.
  const from = (path: string) => posix.relative(`/${folder}`, `/${path}`) || ".";
  const file = from(source.file);
  const project = from(folderOf(source.file));
  switch (source.kind) {
    case "lock":
      return { ...requires, install: { lock: file, ...(source.installable && { project }) } };
    case "requirements":
      return { ...requires, install: { requirements: [file] } };
    case "project":
      return { ...requires, install: { project } };
  }
}

function requestOf({ name, path, headers, status }: ChosenRoute): readonly [string, object] {
  const sent = Object.keys(headers).length === 0 ? { path } : { path, headers };
  return [name, { ...sent, ...(status !== undefined && { expect: { status } }) }];
}

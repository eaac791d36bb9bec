/** The app that a server's command names. */
import type { Found } from "../plan/text-places.js";
import { type AppCandidate, moduleOf } from "./callables.js";
import { folderOf, joined, type ProjectFiles } from "./project.js";
import type { CommandTarget, ServerCommand } from "./server-command.js";

/** The apps that commands name come first, also where no line of Python shows what they are. */
export function withNamedFirst(
  apps: readonly AppCandidate[],
  commands: readonly Found<ServerCommand>[],
  files: ProjectFiles,
): AppCandidate[] {
  const named = commands.flatMap((command) => namedApp(command, apps, files) ?? []);
  const first = [...new Map(named.map(({ app }) => [`${app.folder}|${app.target}`, app])).values()];
  // The same object can be imported by another name, from another folder.
  const taken = new Set(named.map(({ file, app }) => `${file}|${objectOf(app)}`));
  return [...first, ...apps.filter((app) => !taken.has(`${fileOf(app)}|${objectOf(app)}`))];
}

interface NamedApp {
  /** The Python file that holds it. */
  readonly file: string;
  readonly app: AppCandidate;
}

function namedApp(
  command: Found<ServerCommand>,
  apps: readonly AppCandidate[],
  files: ProjectFiles,
): NamedApp | undefined {
  const { target, interface: interfaceName, server } = command.value;
  if (target === undefined) return undefined;
  const place = placeOfTarget(target, command, files);
  if (place === undefined) return elsewhere(target, apps);
  const { file, folder, module } = place;
  const same = apps.filter((app) => fileOf(app) === file);
  const known = target.object === undefined ? same[0] : same.find((app) => objectOf(app) === target.object);
  if (known !== undefined) return { file, app: { ...known, folder, target: `${module}:${objectOf(known)}` } };
  if (interfaceName === undefined) return undefined;
  const object = target.object ?? (WITHOUT_OBJECT.has(server) ? "application" : "app");
  const { framework, env } = same[0] ?? { framework: "", env: {} };
  return {
    file,
    app: { interface: interfaceName, framework, folder, target: `${module}:${object}`, at: command.at, env },
  };
}

/** Servers that take `application` where a command names the module alone; the others take `app`. */
const WITHOUT_OBJECT: ReadonlySet<string> = new Set(["gunicorn", "uwsgi", "uwsgi-gevent", "cheroot"]);

/** An app in a folder that no command names, found by the module's name alone. */
function elsewhere(target: CommandTarget, apps: readonly AppCandidate[]): NamedApp | undefined {
  if (target.by === "file") return undefined;
  const app = apps.find((one) => {
    const [module, object] = one.target.split(":");
    return module === target.module && (target.object === undefined || object === target.object);
  });
  return app && { file: fileOf(app), app };
}

interface TargetPlace {
  readonly file: string;
  /** The folder that the module is imported from. */
  readonly folder: string;
  readonly module: string;
}

/** A path says nothing about the folder of the import: the packages around the file do. */
function placeOfTarget(
  target: CommandTarget,
  { value, at }: Found<ServerCommand>,
  files: ProjectFiles,
): TargetPlace | undefined {
  const folders = foldersOf(value.folder, at);
  if (target.by === "file") {
    const file = folders.map((folder) => joined(folder, plain(target.path))).find((path) => files.has(path));
    return file === undefined ? undefined : { file, ...moduleOf(file, files) };
  }
  const path = target.module.replaceAll(".", "/");
  for (const folder of folders) {
    const file = [joined(folder, `${path}.py`), joined(folder, path, "__init__.py")].find((one) => files.has(one));
    if (file !== undefined) return { file, folder, module: target.module };
  }
  return undefined;
}

/** Where a module of a command can be: a Dockerfile in a folder is often built from that folder. */
function foldersOf(named: string | undefined, at: string): readonly string[] {
  const own = folderOf(at.slice(0, at.lastIndexOf(":")));
  const from = named === undefined ? [] : [plain(named), joined(own, plain(named))];
  return [...new Set([...from, own, "", joined(own, "src"), "src"])];
}

/** `./backend/` and `/backend` -> `backend` */
function plain(path: string): string {
  return path
    .replace(/^(\.?\/)+/, "")
    .replace(/(?<!\/)\/+$/, "")
    .replace(/^\.$/, "");
}

function fileOf({ at }: AppCandidate): string {
  return at.slice(0, at.lastIndexOf(":"));
}

function objectOf({ target }: AppCandidate): string {
  return target.slice(target.indexOf(":") + 1);
}

/** The objects in a project's Python files that a server can serve. */
import type { InterfaceName } from "../plan/types.js";
import { folderOf, joined, type ProjectFiles } from "./project.js";
import type { PythonFile, PythonFiles } from "./python-files.js";

type PythonFunction = PythonFile["functions"][number];

export interface AppCandidate {
  readonly interface: InterfaceName;
  readonly framework: string;
  /** Folder that it is imported from, relative to the project's; "" for that itself. */
  readonly folder: string;
  /** `module:object`; `module:function()` for one that makes the app. */
  readonly target: string;
  readonly at: string;
  readonly env: Readonly<Record<string, string>>;
}

const FRAMEWORKS: Readonly<Record<string, InterfaceName>> = {
  FastAPI: "asgi",
  Starlette: "asgi",
  Litestar: "asgi",
  Quart: "asgi",
  BlackSheep: "asgi",
  Flask: "wsgi",
  APIFlask: "wsgi",
  Bottle: "wsgi",
};

/** Functions that make an app. */
const FACTORY = /^(create_app|make_app|get_app|create_application|build_app|factory)$/;
const FALCON: Readonly<Record<string, InterfaceName>> = {
  "falcon.App": "wsgi",
  "falcon.API": "wsgi",
  "falcon.asgi.App": "asgi",
};
const DJANGO: Readonly<Record<string, InterfaceName>> = { get_wsgi_application: "wsgi", get_asgi_application: "asgi" };

/** Folders whose apps are not the one that is deployed. */
const ASIDE =
  /(^|\/)(tests?|testing|docs?|docs_src|examples?|samples?|benchmarks?|scripts|migrations|node_modules|site-packages)\//;

/** The most likely one first. */
export function findApps(files: ProjectFiles, python: PythonFiles): AppCandidate[] {
  const candidates = [...files].flatMap(([file, text]) => {
    const read = python[file];
    return read && !/(^|\/)(test_\w+|conftest|setup|\w+_test)\.py$/.test(file) ? appsIn(file, text, read, files) : [];
  });
  const unique = new Map(candidates.map((one) => [`${one.folder}|${one.target}`, one]));
  return [...unique.values()].sort((a, b) => rank(a) - rank(b));
}

interface Callable {
  readonly framework: string;
  readonly interface: InterfaceName;
}

function appsIn(file: string, text: string, { calls, functions }: PythonFile, files: ProjectFiles): AppCandidate[] {
  const { folder, module } = moduleOf(file, files);
  const candidate = (name: string, line: number, { framework, interface: interfaceName }: Callable): AppCandidate => ({
    interface: interfaceName,
    framework,
    folder,
    target: `${module}:${name}`,
    at: `${file}:${line}`,
    env: framework === "Django" ? djangoEnv(text) : {},
  });
  const assigned = calls.flatMap(({ name, called, line }) => {
    const made = madeBy(called);
    return made ? [candidate(name, line, made)] : [];
  });
  const defined = functions.flatMap((one) => {
    const made = factoryOf(one);
    if (made) return [candidate(`${one.name}()`, one.line, made)];
    const plain = plainInterface(one);
    return plain ? [candidate(one.name, one.line, { framework: "", interface: plain })] : [];
  });
  const found = [...assigned, ...defined];
  const own = calls.filter(({ called }) => FACTORY.test(lastOf(called)));
  const framework = found.length === 0 ? importedFramework(text, files) : undefined;
  if (framework !== undefined)
    return own.map(({ name, line }) =>
      candidate(name, line, { framework, interface: FRAMEWORKS[framework] ?? "wsgi" }),
    );
  // Called in its own file: what it made is the app, and a second call may not work.
  return found.map((one) => {
    const call = own.find(({ called }) => one.target === `${module}:${called}()`);
    return call ? { ...one, target: `${module}:${call.name}`, at: `${file}:${call.line}` } : one;
  });
}

/** @param called `flask.Flask` */
function madeBy(called: string): Callable | undefined {
  const name = lastOf(called);
  if (Object.hasOwn(FRAMEWORKS, name)) return { framework: name, interface: FRAMEWORKS[name] ?? "asgi" };
  if (Object.hasOwn(FALCON, called)) return { framework: "Falcon", interface: FALCON[called] ?? "wsgi" };
  return Object.hasOwn(DJANGO, name) ? { framework: "Django", interface: DJANGO[name] ?? "wsgi" } : undefined;
}

/** Of a function that needs no arguments and makes an app. */
function factoryOf({ name, async, required, calls }: PythonFunction): Callable | undefined {
  const framework = calls.map(lastOf).find((called) => Object.hasOwn(FRAMEWORKS, called));
  if (async || required > 0 || framework === undefined || !FACTORY.test(name)) return undefined;
  return { framework, interface: FRAMEWORKS[framework] ?? "asgi" };
}

/** Of an app without a framework: its arguments show what it is. */
function plainInterface({ name, async, parameters }: PythonFunction): InterfaceName | undefined {
  const begins = (...names: readonly string[]) =>
    parameters.length === names.length && names.every((one, index) => parameters[index]?.startsWith(one));
  if (async)
    return /^(app|application|asgi|asgi_app)$/.test(name) && begins("scope", "receive", "send") ? "asgi" : undefined;
  return /^(app|application|wsgi|wsgi_app)$/.test(name) && begins("env", "start") ? "wsgi" : undefined;
}

function lastOf(dotted: string): string {
  return dotted.slice(dotted.lastIndexOf(".") + 1);
}

/** Frameworks that are servers too, with an interface of their own. */
const OWN_SERVERS: readonly (readonly [name: string, imported: RegExp, made: RegExp])[] = [
  ["aiohttp", /^(?:from|import) aiohttp\b/m, /\bApplication\(/],
  ["sanic", /^(?:from|import) sanic\b/m, /\bSanic\(/],
  ["robyn", /^(?:from|import) robyn\b/m, /\bRobyn\(/],
];

/** @returns the interface of an app that brings its own server: `aiohttp` */
export function ownServer(files: ProjectFiles): string | undefined {
  const sources = [...files].filter(([file]) => file.endsWith(".py")).map(([, text]) => text);
  return OWN_SERVERS.find(([, imported, made]) => sources.some((text) => imported.test(text) && made.test(text)))?.[0];
}

/** The framework that the project uses, for a file that calls a factory of another file. */
function importedFramework(text: string, files: ProjectFiles): string | undefined {
  const named = Object.keys(FRAMEWORKS).find((name) => text.includes(name));
  if (named !== undefined) return named;
  const all = [...files].filter(([file]) => file.endsWith(".py")).map(([, source]) => source);
  return Object.keys(FRAMEWORKS).find((name) => all.some((source) => source.includes(`${name}(`)));
}

function djangoEnv(text: string): Record<string, string> {
  const settings = /DJANGO_SETTINGS_MODULE["'],\s*["']([\w.]+)["']/.exec(text)?.[1];
  return settings === undefined ? {} : { DJANGO_SETTINGS_MODULE: settings };
}

/** The folder above the topmost package, and the module's name from there. */
export function moduleOf(file: string, files: ProjectFiles): { readonly folder: string; readonly module: string } {
  let folder = folderOf(file);
  const inPackage = files.has(joined(folder, "__init__.py"));
  while (folder !== "" && files.has(joined(folder, "__init__.py"))) folder = folderOf(folder);
  // A package without `__init__.py` is imported from the project's folder, or from `src`.
  if (!inPackage && !files.has(joined(folder, "manage.py"))) folder = /^src(\/|$)/.test(folder) ? "src" : "";
  const path = folder === "" ? file : file.slice(folder.length + 1);
  const module = path
    .replace(/\.py$/, "")
    .replace(/\/__init__$/, "")
    .replaceAll("/", ".");
  return { folder, module };
}

function rank({ target, at, framework, interface: interfaceName }: AppCandidate): number {
  const file = at.slice(0, at.lastIndexOf(":"));
  const [, name = ""] = target.split(":");
  const usual = /(^|\/)(main|app|wsgi|asgi|application|server|__init__)\.py$/.test(file) ? 0 : 4;
  const called = /^(app|application|api)$/.test(name) ? 0 : 2;
  const made = name.endsWith("()") ? 1 : 0;
  // Django projects have both; WSGI is what most deploy.
  const second = framework === "Django" && interfaceName === "asgi" ? 0.5 : 0;
  return (ASIDE.test(file) ? 100 : 0) + file.split("/").length + usual + called + made + second;
}

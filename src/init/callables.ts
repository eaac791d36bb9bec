/** The objects in a project's Python files that a server can serve. Nothing is run: their lines are read. */
import { placeOf } from "../plan/text-places.js";
import type { InterfaceName } from "../plan/types.js";
import { folderOf, joined, type ProjectFiles } from "./project.js";

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
const CLASSES = Object.keys(FRAMEWORKS).join("|");

/** `app = FastAPI(`, `app: Flask = flask.Flask(`, at the left edge. */
const ASSIGNED = new RegExp(`^(\\w+)\\s*(?::[^=\\n]+)?=\\s*(?:\\w+\\.)*(${CLASSES})\\(`, "gm");
const FALCON = /^(\w+)\s*(?::[^=\n]+)?=\s*falcon\.(asgi\.)?(?:App|API)\(/gm;
const DJANGO = /^(\w+)\s*=\s*(?:\w+\.)*get_(wsgi|asgi)_application\(\)/gm;
/** An app without a framework: its arguments show what it is. */
const PLAIN_WSGI = /^def (app|application|wsgi|wsgi_app)\(\s*env\w*[^,)]*,\s*start\w*[^,)]*\)/gm;
const PLAIN_ASGI = /^async def (app|application|asgi|asgi_app)\(\s*scope[^,)]*,\s*receive[^,)]*,\s*send[^,)]*\)/gm;
/** A function without required arguments that makes an app. */
const FACTORY = new RegExp(
  `^def (create_app|make_app|get_app|create_application|build_app|factory)\\(((?:[^()]|\\([^()]*\\))*)\\)[^\\n]*:\\n(?:(?:[ \\t]+.*)?\\n)*?[ \\t]+.*\\b(${CLASSES})\\(`,
  "gm",
);
/** `app = create_app()` */
const MADE = /^(\w+)\s*(?::[^=\n]+)?=\s*((?:\w+\.)*(?:create_app|make_app|get_app|create_application|build_app))\(/gm;

/** Folders whose apps are not the one that is deployed. */
const ASIDE =
  /(^|\/)(tests?|testing|docs?|docs_src|examples?|samples?|benchmarks?|scripts|migrations|node_modules|site-packages)\//;

/** The most likely one first. */
export function findApps(files: ProjectFiles): AppCandidate[] {
  const candidates = [...files].flatMap(([file, text]) =>
    file.endsWith(".py") && !/(^|\/)(test_\w+|conftest|setup|\w+_test)\.py$/.test(file)
      ? appsIn(file, text, files)
      : [],
  );
  const unique = new Map(candidates.map((one) => [`${one.folder}|${one.target}`, one]));
  return [...unique.values()].sort((a, b) => rank(a) - rank(b));
}

function appsIn(file: string, text: string, files: ProjectFiles): AppCandidate[] {
  const { folder, module } = moduleOf(file, files);
  const found: AppCandidate[] = [];
  const add = (index: number, name: string, framework: string, interfaceName: InterfaceName) =>
    found.push({
      interface: interfaceName,
      framework,
      folder,
      target: `${module}:${name}`,
      at: placeOf(file, text, index),
      env: framework === "Django" ? djangoEnv(text) : {},
    });
  for (const { index, 1: name = "", 2: framework = "" } of text.matchAll(ASSIGNED))
    add(index, name, framework, FRAMEWORKS[framework] ?? "asgi");
  for (const { index, 1: name = "", 2: asgi } of text.matchAll(FALCON))
    add(index, name, "Falcon", asgi === undefined ? "wsgi" : "asgi");
  for (const { index, 1: name = "", 2: kind } of text.matchAll(DJANGO))
    add(index, name, "Django", kind === "asgi" ? "asgi" : "wsgi");
  for (const { index, 1: name = "", 2: parameters = "", 3: framework = "" } of text.matchAll(FACTORY))
    if (hasDefaults(parameters)) add(index, `${name}()`, framework, FRAMEWORKS[framework] ?? "asgi");
  for (const { index, 1: name = "" } of text.matchAll(PLAIN_WSGI)) add(index, name, "", "wsgi");
  for (const { index, 1: name = "" } of text.matchAll(PLAIN_ASGI)) add(index, name, "", "asgi");
  const made = [...text.matchAll(MADE)].map(({ index, 1: name = "", 2: callee = "" }) => ({ index, name, callee }));
  const framework = found.length === 0 ? importedFramework(text, files) : undefined;
  if (framework !== undefined)
    for (const { index, name } of made) add(index, name, framework, FRAMEWORKS[framework] ?? "wsgi");
  // Called in its own file: what it made is the app, and a second call may not work.
  return found.map((one) => {
    const call = made.find(({ callee }) => one.target === `${module}:${callee}()`);
    return call ? { ...one, target: `${module}:${call.name}`, at: placeOf(file, text, call.index) } : one;
  });
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

function hasDefaults(parameters: string): boolean {
  // Of `settings: Mapping[str, Any] | None = None` the type has a comma too.
  const plain = withoutBrackets(parameters.replaceAll(/#.*/g, ""));
  const names = plain.split(",").map((one) => one.trim());
  return names.every((one) => one === "" || one.includes("=") || one.startsWith("*"));
}

function withoutBrackets(text: string): string {
  const inner = text.replaceAll(/\[[^[\]]*\]|\([^()]*\)|\{[^{}]*\}/g, "");
  return inner === text ? text : withoutBrackets(inner);
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

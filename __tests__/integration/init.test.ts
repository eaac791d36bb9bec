/** `init` on projects as people have them, with real environments and real servers. init-planted.test.ts measures what it writes. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SetupError } from "../../src/errors.js";
import { findPythons } from "../../src/provision/environments/pythons.js";
import { fastapi, runInit } from "../support/init.js";
import { ROOT } from "../support/own-set.js";
import { commit, newRepository, writeFiles } from "../support/repository.js";
import { needing, testTool } from "../support/tools.js";

const TIMEOUT_MS = 240_000;
/** Minor version of `python3`. */
const usual = execFileSync("python3", ["-c", "import sys; print(sys.version_info.minor)"], { encoding: "utf8" }).trim();
/** Another Python of the machine. */
const several = await testTool(async (options) => {
  const minors = (await findPythons(options, [])).filter(({ label }) => /^3\.\d+$/.test(label));
  const other = minors.find(({ label }) => label !== `3.${usual}`);
  if (other?.request === undefined) throw new SetupError("this machine has one Python alone");
  return { path: other.request, version: other.label };
});
type Files = Readonly<Record<string, string>>;

let temp: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => {
  rmSync(temp, { recursive: true, force: true });
});

const initIn = (cwd: string, ...args: string[]) => runInit({ cwd, temp }, ...args);

function projectOf(files: Files): string {
  const folder = join(temp, "shop");
  writeFiles(folder, files);
  return folder;
}

const DJANGO: Files = {
  "requirements.txt": "Django==5.2\n",
  "manage.py": "",
  Procfile: "web: gunicorn mysite.wsgi --workers 3 --threads 2\n",
  "mysite/__init__.py": "",
  "mysite/settings.py":
    'SECRET_KEY = "none"\nALLOWED_HOSTS = [".shop.example"]\nROOT_URLCONF = "mysite.urls"\nMIDDLEWARE = ["django.middleware.common.CommonMiddleware"]\n',
  "mysite/urls.py": `from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import include, path, re_path

inner = [re_path(r"^posts/$", lambda request: HttpResponse("posts"))]
urlpatterns = [
    path("django-admin/", lambda request: HttpResponse("admin")),
    path("blog/", include(inner)),
    path("account/", lambda request: redirect("/login/")),
    path("post/<int:pk>/", lambda request, pk: HttpResponse("post")),
    re_path(r"^((?:\\w+/)*)$", lambda request, name: HttpResponse("home" + name)),
]
`,
  "mysite/wsgi.py": `import os
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mysite.settings")
application = get_wsgi_application()
`,
};

describe("a project", () => {
  it("in a folder of its repository: the workflow is where GitHub reads it, and names the folder", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const repository = newRepository(join(temp, "company"));
    commit(repository, {
      "uv.lock": "version = 1\n",
      "services/shop/pyproject.toml":
        '[project]\nname = "shop"\nversion = "1"\ndependencies = ["fastapi", "uvicorn"]\n',
      "services/shop/main.py": fastapi(2000),
    });
    const project = join(repository, "services/shop");
    const { code, output, errors } = await initIn(project, "--yes");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toContain("          uv.lock of the workspace is not read, so its versions are not used.");
    const written = "benchmarks/servers.yml, benchmarks/shop.yml, ../../.github/workflows/benchmark-shop.yml";
    expect(output).toContain(`wrote     ${written}\n`);
    const workflow = readFileSync(join(repository, ".github/workflows/benchmark-shop.yml"), "utf8");
    expect(workflow).toContain("scenarios-dir: services/shop/benchmarks\n");
    expect(workflow).toMatch(/^ +python-version: "3\.\d+"$/m);
    expect((await initIn(project, "--yes")).errors).toContain(`${written.split(", ")[2]}: there already`);
  });

  it("Django under gunicorn: host, settings, nested routes, a first page whose pattern has parameters", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const project = projectOf(DJANGO);
    const { code, output, errors } = await initIn(temp, "shop", "--yes");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(/^server {4}gunicorn \(threads 2\), Procfile:1$/m);
    expect(output).toContain("3 workers there; the benchmark starts one");
    expect(output).toMatch(/^ {2}GET \/ +200 .*measured$/m);
    expect(output).toMatch(/GET \/blog\/posts\/ +200 .*measured/);
    expect(output).not.toContain("django-admin");
    expect(output).toMatch(/GET \/account\/ +302 .*wants a login: a redirect to \/login\//);
    expect(output).toContain("cd shop && node ");
    const { apps, requests } = parse(readFileSync(join(project, "benchmarks/servers.yml"), "utf8"));
    expect(apps.shop).toMatchObject({
      env: { DJANGO_SETTINGS_MODULE: "mysite.settings" },
      install: { requirements: ["requirements.txt"] },
    });
    expect(Object.keys(requests)).toEqual(["home", "blog-posts"]);
    expect(requests.home.headers).toEqual({ host: "shop.example" });
  });

  it("a database of each side's own is migrated before the server starts", { timeout: TIMEOUT_MS }, async () => {
    const example = join(ROOT, "examples/apps/django-gunicorn");
    const project = join(temp, "shop");
    cpSync(example, project, { recursive: true });
    rmSync(join(project, "benchmarks"), { recursive: true });
    const { code, output, errors } = await initIn(project, "--yes");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(/GET \/items +200 .*measured/);
    const { apps } = parse(readFileSync(join(project, "benchmarks/servers.yml"), "utf8"));
    expect(apps.shop.before).toEqual([["python", "manage.py", "migrate", "--noinput"]]);
    expect(existsSync(join(project, "db.sqlite3"))).toBe(false);
  });

  it("a terminal is asked for what is not plain", { timeout: TIMEOUT_MS }, async () => {
    const two = fastapi(1).replace("/items/{item}", "/items").replace("item: int", "item: int = 1");
    const project = projectOf({ "app.py": fastapi(1), "main.py": two, "requirements.txt": "fastapi\n" });
    const typed = "9\n2\ngranian\n/items\n";
    const { code, output, errors } = await runInit({ cwd: project, temp, typed });
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(/Which app\?\n {2}1 {2}app:app, app\.py:3\n {2}2 {2}main:app, main\.py:3\nNumber \[1\] /);
    expect(output).toContain("Which server? [uvicorn] ");
    expect(output).toContain("Which pages? Paths with blanks between them [/ /items /v1/orders/] ");
    const { apps, requests } = parse(readFileSync(join(project, "benchmarks/servers.yml"), "utf8"));
    expect([apps.shop.target, Object.keys(requests)]).toEqual(["main:app", ["items"]]);
    expect(readFileSync(join(project, "benchmarks/shop.yml"), "utf8")).toContain("server: granian");
    const short = await runInit({ cwd: project, temp, typed: "2\n" }, "--force");
    expect([short.code, short.errors]).toEqual([
      2,
      expect.stringContaining("the input ended before all questions were answered; --yes"),
    ]);
  });

  it("--env is named where an app needs a variable, and gives it one", { timeout: TIMEOUT_MS }, async () => {
    const project = projectOf({
      "web.py": `import os\n\nKEY = os.environ["SHOP_KEY"]\n\n\n${REDIRECTS}`,
    });
    const flags = ["--yes", "--server", "waitress"];
    const without = await initIn(project, ...flags);
    expect([without.code, without.errors]).toEqual([
      2,
      expect.stringMatching(
        /KeyError: 'SHOP_KEY'\nThe app sees none of this shell's variables; --env SHOP_KEY=VALUE sets one/,
      ),
    ]);
    const { code, output, errors } = await initIn(project, ...flags, "--env", "SHOP_KEY=for tests");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toContain("SHOP_KEY, written to servers.yml, which is committed: no place for a secret");
    const { apps } = parse(readFileSync(join(project, "benchmarks/servers.yml"), "utf8"));
    expect(apps.shop.env).toEqual({ SHOP_KEY: "for tests" });
  });

  it.each([
    ["uvicorn", "fastapi\nuvicorn\n", "from fastapi import FastAPI", "FastAPI()", "get"],
    // Older than some options that newer releases need.
    ["gunicorn", "flask\ngunicorn==21.2.0\n", "from flask import Flask", "Flask(__name__)", "route"],
  ])("a function makes the app, under %s", { timeout: TIMEOUT_MS }, async (...given) => {
    const [server, requirements, line, made, route] = given;
    const body = `    app = ${made}\n\n    @app.${route}("/")\n    def home():\n        return "home"\n\n    return app\n`;
    const source = `${line}\n\n\ndef create_app():\n${body}`;
    const project = projectOf({ "web.py": source, "requirements.txt": requirements });
    const { code, output, errors } = await initIn(project, "--yes");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toContain(`server    ${server}`);
    expect(output).toMatch(/GET \/ +200 .*measured/);
  });

  it("Flask under uWSGI, as its configuration says", { timeout: TIMEOUT_MS }, async () => {
    const source =
      'from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get("/items")\ndef items():\n    return [1]\n';
    const ini = "[uwsgi]\nmodule = app:app\nprocesses = 2\n";
    const project = projectOf({ "app.py": source, "requirements.txt": "flask==3.1.3\n", "uwsgi.ini": ini });
    const { code, output, errors } = await initIn(project, "--yes");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(/^server {4}uwsgi, uwsgi\.ini:2$/m);
    expect(output).toMatch(/GET \/items +200 .*measured/);
    expect(output).toMatch(/Try it: .* run shop --scenarios benchmarks/);
  });

  it("flags say what no file does, and nothing is replaced unless asked for", { timeout: TIMEOUT_MS }, async () => {
    const app = 'def serve(environ, start):\n    start("404 Not Found", [])\n    return [b"gone"]\n';
    const project = projectOf({ "web.py": app });
    const flags = [
      "--app",
      "web:serve",
      "--interface",
      "wsgi",
      "--server",
      "waitress",
      "--route",
      "/json",
      "--name",
      "mine",
    ];
    const first = await initIn(project, ...flags);
    expect([first.code, first.errors]).toEqual([0, ""]);
    const set = join(project, "benchmarks/mine.yml");
    expect(readFileSync(set, "utf8")).toContain("server: waitress");
    expect(parse(readFileSync(join(project, "benchmarks/servers.yml"), "utf8")).requests["json-2"].expect).toEqual({
      status: 404,
    });
    rmSync(set);
    const again = await initIn(project, ...flags);
    expect(again.errors).toBe(
      "server-bench: benchmarks/servers.yml, .github/workflows/benchmark.yml: there already; --force replaces them\n",
    );
    expect(existsSync(set)).toBe(false);
    expect((await initIn(project, ...flags, "--force")).code).toBe(0);
  });
});

const REDIRECTS = `def application(environ, start_response):
    places = {"/": "/shop", "/shop": f"http://{environ['HTTP_HOST']}/shop/?all=1", "/away": "https://shop.example/"}
    path = environ["PATH_INFO"]
    if path in places:
        start_response("302 Found", [("Location", places[path])])
        return [b""]
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["QUERY_STRING"].encode()]
`;

describe("requires-python", () => {
  const withPython = (text: string): Files => ({
    "web.py": REDIRECTS,
    "pyproject.toml": `[project]\nname = "mine"\nversion = "1"\nrequires-python = "${text}"\n`,
  });

  it("that no Python of the machine fits ends before anything is installed", async () => {
    const project = projectOf(withPython(">=3.99"));
    const { code, output, errors } = await initIn(project, "--yes", "--server", "waitress");
    expect(errors).toMatch(
      /^server-bench: pyproject\.toml:4: the project runs under Python >=3\.99, and this machine has 3\.\d+.*; `uv python install` adds one$/m,
    );
    expect([code, /setup/.test(output)]).toEqual([2, false]);
  });

  const title = needing("chooses another Python of the machine", several);
  it.skipIf(several.missing !== undefined)(title, { timeout: TIMEOUT_MS }, async () => {
    const project = projectOf(withPython(`!=3.${usual}.*`));
    const { code, output, errors } = await initIn(project, "--yes", "--server", "waitress");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(
      /^python {4}3\.\d+: the project runs under !=3\.\d+\.\*, and python3 is 3\.\d+\S*, pyproject\.toml:4$/m,
    );
    const { apps } = parse(readFileSync(join(project, "benchmarks/servers.yml"), "utf8"));
    expect(apps.mine.python).toMatch(/^3\.\d+$/);
    expect(apps.mine.python).not.toBe(`3.${usual}`);
  });
});

describe(".python-version", () => {
  const title = needing("is the Python of the app where the machine has it", several);
  it.skipIf(several.missing !== undefined)(title, { timeout: TIMEOUT_MS }, async () => {
    const other = several.missing === undefined ? several.tool.version : "";
    const project = projectOf({ "web.py": REDIRECTS, ".python-version": `${other}\n` });
    const { code, output, errors } = await initIn(project, "--yes", "--server", "waitress");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toContain(`python    ${other}: python3 is 3.${usual}.`);
    expect(output).toContain(", .python-version:1\n");
    expect(parse(readFileSync(join(project, "benchmarks/servers.yml"), "utf8")).apps.shop.python).toBe(other);
    const workflow = readFileSync(join(project, ".github/workflows/benchmark.yml"), "utf8");
    expect(workflow).toContain(`python-version: "${other}"`);
  });

  it("that the machine does not have is named, and the usual one is taken", { timeout: TIMEOUT_MS }, async () => {
    const project = projectOf({ "web.py": REDIRECTS, ".python-version": "3.99\n" });
    const { code, output, errors } = await initIn(project, "--yes", "--server", "waitress");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(
      /^ {10}Python 3\.99 is not on this machine; `uv python install 3\.99` adds it, \.python-version:1$/m,
    );
    expect(parse(readFileSync(join(project, "benchmarks/servers.yml"), "utf8")).apps.shop.python).toBeUndefined();
  });
});

describe("a first page that only redirects", () => {
  it("is followed within the app", { timeout: TIMEOUT_MS }, async () => {
    const project = projectOf({ "web.py": REDIRECTS });
    const { code, output, errors } = await initIn(project, "--yes", "--server", "waitress");
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(/GET \/ +302 .*a redirect to \/shop$/m);
    expect(output).toMatch(/GET \/shop\/\?all=1 +200 +5 bytes .*measured$/m);
    const { requests } = parse(readFileSync(join(project, "benchmarks/servers.yml"), "utf8"));
    expect(requests).toEqual({ "shop-all-1": { path: "/shop/?all=1" } });
  });
});

describe("a mistake", () => {
  it.each<[string, Files, string[], RegExp]>([
    [
      "no app",
      { "lib.py": "x = 1\n" },
      [],
      /shop: no app found: no Python file makes a FastAPI,.* --app MODULE:OBJECT names it/,
    ],
    [
      "an app that is its own server",
      { "web.py": "from aiohttp import web\n\n\ndef make():\n    return web.Application()\n" },
      [],
      /shop: no app found that init can measure: an app of aiohttp is its own server\. Write benchmarks\/servers\.yml with `interface: aiohttp`/,
    ],
    ["no such folder", { "lib.py": "" }, ["gone"], /\/gone: no such folder$/],
    [
      "a file where the folder belongs",
      { "app.py": fastapi(1), benchmarks: "our figures" },
      [],
      /benchmarks: is a file, and init writes a folder of that name: rename the file$/,
    ],
    [
      "files of another tool in that folder",
      { "app.py": fastapi(1), "benchmarks/load.yml": "users: 3\n", "benchmarks/test_speed.py": "" },
      [],
      /benchmarks\/load\.yml: is no set of server-bench, which reads every YAML file of that folder: move it into a folder below, such as benchmarks\/other$/,
    ],
    ["--app that is no target", { "lib.py": "" }, ["--app", "lib"], /invalid --app "lib": write MODULE:OBJECT/],
    ["--route that is no path", { "lib.py": "" }, ["--route", "home"], /invalid --route "home": write a path such as/],
    [
      "a server that does not speak the interface",
      { "app.py": fastapi(1) },
      ["--server", "waitress"],
      /--server waitress: does not speak asgi, which app:app is; servers that do: granian, uvicorn/,
    ],
    [
      "a server that is none",
      { "app.py": fastapi(1) },
      ["--server", "uvicon"],
      /--server: unknown server "uvicon"; did you mean "uvicorn"\?/,
    ],
  ])("%s: exit 2 before anything is installed", async (_, files, args, message) => {
    const project = projectOf(files);
    const { code, output, errors } = await initIn(project, "--yes", ...args);
    expect(errors.trim()).toMatch(message);
    expect([code, /setup/.test(output)]).toEqual([2, false]);
    expect(existsSync(join(project, "benchmarks/servers.yml"))).toBe(false);
  });

  it.each<[string, string, RegExp]>([
    [
      "a requirement that is missing",
      "import nowhere_to_find\nfrom flask import Flask\napp = Flask(__name__)\n",
      /app web:app does not import in .*shop: ModuleNotFoundError: No[\s\S]*ModuleNotFoundError: No module named 'nowhere_to_find'\nThe requirement that brings the module nowhere_to_find is missing/,
    ],
    [
      "an error of its own",
      "from flask import Flask\napp = Flask(__name__)\n1 / 0\n",
      /does not import[\s\S]*web\.py", line 3[\s\S]*ZeroDivisionError/,
    ],
    [
      "no callable",
      "from flask import Flask\napp = Flask(__name__)\napp = 3\n",
      /app web:app: app is a int, not something that a server can call/,
    ],
    [
      "no such object",
      "from flask import Flask\nmade = Flask(__name__)\n'''\napp = Flask(__name__)\n'''\n",
      /app web:app: web has no "app"; web has made/,
    ],
    [
      "no page that answers",
      "from flask import Flask\napp = Flask(__name__)\n\n@app.route('/')\ndef home():\n    raise KeyError\n",
      /no page answered with a status from 200 to 299; --route PATH names one.*\n[\s\S]*web\.py", line 6[\s\S]*KeyError$/m,
    ],
  ])("an app with %s", { timeout: TIMEOUT_MS }, async (_, source, message) => {
    const project = projectOf({ "web.py": source, "requirements.txt": "flask\n" });
    const { code, errors } = await initIn(project, "--yes", "--server", "waitress", "--app", "web:app");
    expect(errors).toMatch(message);
    expect(code).toBe(2);
    expect(existsSync(join(project, "benchmarks"))).toBe(false);
    expect(readdirSync(temp).filter((name) => basename(name).startsWith("server-bench-"))).toEqual([]);
  });

  it("a stale lock is named without the file that only the trial had", { timeout: TIMEOUT_MS }, async () => {
    const project = projectOf({
      "web.py": REDIRECTS,
      "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.10"\ndependencies = ["six"]\n',
      "uv.lock":
        'version = 1\nrequires-python = ">=3.10"\n\n[[package]]\nname = "shop"\nversion = "1"\nsource = { virtual = "." }\n',
    });
    const { code, output, errors } = await initIn(project, "--yes", "--server", "waitress");
    const said =
      "app shop cannot be installed: uv.lock is stale: pyproject.toml asks for something else; run `uv lock`";
    expect([code, errors]).toEqual([3, expect.stringContaining(`server-bench: ${said}`)]);
    expect(output).toContain(`FAILED: ${said}`);
  });

  it("an app that ends Python is named with the signal", { timeout: TIMEOUT_MS }, async () => {
    const source =
      "import os, signal\n\n\ndef app(environ, start_response):\n    pass\n\n\nos.kill(os.getpid(), signal.SIGSEGV)\n";
    const project = projectOf({ "web.py": source });
    const { code, errors } = await initIn(project, "--yes", "--server", "waitress");
    expect(errors).toContain("cannot import web:app: Python ended with signal SIGSEGV while it imported the app");
    expect(code).toBe(3);
  });
});

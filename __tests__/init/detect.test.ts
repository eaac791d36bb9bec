/** Projects as they are written, and what is found in them. */
import { describe, expect, it, test } from "vitest";
import { findDependencies } from "../../src/init/dependencies.js";
import { chooseServer, detect as detectIn } from "../../src/init/detect.js";
import { namedPython } from "../../src/init/named-python.js";
import { findServerCommands } from "../../src/init/server-files.js";
import { pythonOf } from "../support/python-files.js";

type Files = Readonly<Record<string, string>>;
const project = (files: Files) => new Map(Object.entries(files));
const detect = (files: ReadonlyMap<string, string>) => detectIn(files, pythonOf(files));

const FASTAPI = "from fastapi import FastAPI\n\napp = FastAPI()\n";
const WSGI_PY = `import os
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mysite.settings")
application = get_wsgi_application()
`;

/** The first app and the server for it: `target folder interface server knobs`. */
function found(files: Files): string {
  const detected = detect(project(files));
  const [app] = detected.apps;
  if (app === undefined) return "nothing";
  const { name, knobs, why } = chooseServer(detected, app);
  return [app.target, app.folder || ".", app.interface, name, JSON.stringify(knobs), why].join(" ");
}

describe("a project's app and server", () => {
  it.each<[string, Files, string]>([
    [
      "FastAPI with a Procfile",
      {
        "shop/__init__.py": "",
        "shop/main.py": FASTAPI,
        Procfile: "release: ls\nweb: uvicorn shop.main:app --port $PORT\n",
      },
      "shop.main:app . asgi uvicorn {} Procfile:2",
    ],
    [
      "plain uvicorn has neither uvloop nor httptools",
      { "main.py": FASTAPI, "requirements.txt": "fastapi\nuvicorn==0.30\n", Procfile: "web: uvicorn main:app" },
      'main:app . asgi uvicorn {"loop":"asyncio","http-parser":"h11"} Procfile:1',
    ],
    [
      "uvicorn[standard] has both",
      {
        "main.py": FASTAPI,
        "requirements.txt": "fastapi\nuvicorn[standard]==0.30\n",
        Procfile: "web: uvicorn main:app",
      },
      "main:app . asgi uvicorn {} Procfile:1",
    ],
    [
      "gunicorn with uvicorn's worker in a Dockerfile",
      {
        "app/main.py": FASTAPI,
        Dockerfile:
          'FROM python:3.12\nRUN pip install gunicorn\nCMD ["gunicorn", "-k", "uvicorn.workers.UvicornWorker", "-w", "4", "app.main:app"]\n',
      },
      'app.main:app . asgi gunicorn {"worker":"uvicorn-worker"} Dockerfile:3',
    ],
    [
      "a shell command over two lines",
      {
        "main.py": FASTAPI,
        Dockerfile: "FROM python\nCMD exec granian --interface asgi \\\n    --loop uvloop --host 0.0.0.0 main:app\n",
      },
      'main:app . asgi granian {"loop":"uvloop"} Dockerfile:2',
    ],
    [
      "Django under gunicorn with threads, in a compose file",
      {
        "manage.py": "",
        "mysite/__init__.py": "",
        "mysite/wsgi.py": WSGI_PY,
        "mysite/asgi.py": "from django.core.asgi import get_asgi_application\napplication = get_asgi_application()\n",
        "compose.yml":
          "services:\n  db:\n    image: postgres\n  web:\n    command: gunicorn mysite.wsgi --threads 4 -b 0.0.0.0:8000\n",
      },
      'mysite.wsgi:application . wsgi gunicorn {"threads":4} compose.yml:5',
    ],
    [
      "Flask under uWSGI by its own file",
      {
        "wsgi.py": "from flask import Flask\napp = Flask(__name__)\n",
        "uwsgi.ini": "[uwsgi]\nmaster = true\nwsgi-file = wsgi.py\ncallable = app\nthreads = 2\n",
      },
      'wsgi:app . wsgi uwsgi {"threads":2} uwsgi.ini:3',
    ],
    [
      "a factory, and the server that is required",
      {
        "src/blog/__init__.py":
          "from flask import Flask\n\ndef create_app(config=None):\n    app = Flask(__name__)\n    return app\n",
        "pyproject.toml": '[project]\nname = "blog"\ndependencies = [\n  "flask",\n  "waitress>=3",\n]\n',
      },
      "blog:create_app() src wsgi waitress {} pyproject.toml:5 requires it",
    ],
    [
      "requirements beside the app name the server",
      { "src/app/__init__.py": "", "src/app/main.py": FASTAPI, "src/requirements.txt": "fastapi\ngranian\n" },
      "app.main:app src asgi granian {} src/requirements.txt:2 requires it",
    ],
    [
      "of two servers for ASGI the one that only speaks it",
      { "main.py": FASTAPI, "requirements.txt": "fastapi\ngunicorn\nuvicorn[standard]\n" },
      "main:app . asgi uvicorn {} requirements.txt:3 requires it",
    ],
    [
      "an object that a file makes with its own factory",
      {
        "server.py":
          "from fastapi import FastAPI\n\ndef create_app():\n    app = FastAPI()\n    return app\n\napp = create_app()\n",
      },
      "server:app . asgi uvicorn {} no file names a server; uvicorn is a usual one for ASGI",
    ],
    [
      "nothing names a server",
      { "main.py": "from litestar import Litestar\napp = Litestar([])\n" },
      "main:app . asgi uvicorn {} no file names a server; uvicorn is a usual one for ASGI",
    ],
    [
      "tests and examples come last",
      {
        "examples/a.py": FASTAPI,
        "tests/app.py": FASTAPI,
        "service/api.py": "from fastapi import FastAPI\nservice = FastAPI()\n",
      },
      "service.api:service . asgi uvicorn {} no file names a server; uvicorn is a usual one for ASGI",
    ],
    [
      "settings in gunicorn's own file",
      {
        "shop.py": "import flask\napp: flask.Flask = flask.Flask(__name__)\n",
        "gunicorn.conf.py": 'wsgi_app = "shop:app"\nworker_class = "gevent"\n',
      },
      'shop:app . wsgi gunicorn {"worker":"gevent"} gunicorn.conf.py:1',
    ],
    [
      "an app without a framework",
      { "calendar/__init__.py": "def application(environ: dict, start_response: Any) -> Iterable[bytes]:\n    ...\n" },
      "calendar:application . wsgi gunicorn {} no file names a server; gunicorn is a usual one for WSGI",
    ],
    [
      "the same for ASGI",
      { "web.py": "async def app(scope, receive, send):\n    ...\n" },
      "web:app . asgi uvicorn {} no file names a server; uvicorn is a usual one for ASGI",
    ],
    [
      "a path of fastapi's own command",
      {
        "src/app/main.py": FASTAPI,
        "src/app/__init__.py": "",
        Dockerfile: 'CMD ["fastapi", "run", "src/app/main.py"]\n',
      },
      "app.main:app src asgi uvicorn {} Dockerfile:1",
    ],
    [
      "a path of uWSGI's",
      {
        "src/app/wsgi.py": "from flask import Flask\napp = Flask(__name__)\n",
        "src/app/__init__.py": "",
        "uwsgi.ini": "[uwsgi]\nwsgi-file = src/app/wsgi.py\n",
      },
      "app.wsgi:app src wsgi uwsgi {} uwsgi.ini:2",
    ],
    [
      "the folder that a command changes to",
      {
        "backend/app.py": "from flask import Flask\napp = Flask(__name__)\n",
        Procfile: "web: gunicorn --chdir backend app:app",
      },
      "app:app backend wsgi gunicorn {} Procfile:1",
    ],
    [
      "a Dockerfile in the app's folder",
      { "backend/main.py": FASTAPI, "backend/Dockerfile": "FROM python\nCMD uvicorn main:app\n" },
      "main:app backend asgi uvicorn {} backend/Dockerfile:2",
    ],
    [
      "a factory with types that have commas",
      {
        "web.py":
          "from flask import Flask\n\ndef create_app(config: Mapping[str, Any] | None = None, *, x: tuple[int, int] = (1, 2)) -> Flask:\n    return Flask(__name__)\n",
      },
      "web:create_app() . wsgi gunicorn {} no file names a server; gunicorn is a usual one for WSGI",
    ],
    ["no app", { "lib.py": "def f():\n    app = 1\n" }, "nothing"],
    [
      "a long factory that makes its app elsewhere",
      { "web.py": `def create_app():\n${"    step()\n".repeat(40)}    return make(value)\n` },
      "nothing",
    ],
    [
      "a long factory whose parameters have nested types",
      {
        "web.py": `from flask import Flask\n\n\ndef create_app(a: "((" = (1, (2, (3))), *, b=f("(")) -> Flask:\n${"    step()\n".repeat(40)}    return Flask(__name__)\n`,
      },
      "web:create_app() . wsgi gunicorn {} no file names a server; gunicorn is a usual one for WSGI",
    ],
    ["an app in a text or a comment", { "lib.py": `"""\n${FASTAPI}"""\n# app = FastAPI()\n` }, "nothing"],
    [
      "the object that a method or a condition gives on",
      {
        "web.py":
          "from flask import Flask\napp: Flask = (\n    Flask(__name__).wsgi_app\n    if True\n    else None\n)\n",
      },
      "web:app . wsgi gunicorn {} no file names a server; gunicorn is a usual one for WSGI",
    ],
  ])("%s", (_, files, expected) => {
    expect(found(files)).toBe(expected);
  });

  it("names an object once, as the command imports it", () => {
    const files = { "backend/main.py": FASTAPI, "backend/Dockerfile": "CMD uvicorn main:app\n" };
    expect(detect(project(files)).apps.map(({ target }) => target)).toEqual(["main:app"]);
  });

  it("a parameter without a default is no factory's, whatever its type", () => {
    const files = { "web.py": "def create_app(config: dict[str, str], *, x=1):\n    return Flask(__name__)\n" };
    expect(detect(project(files)).apps).toEqual([]);
  });

  it("names the files that Python cannot read", () => {
    const files = {
      "old.py": 'print "app"\n',
      "nul.py": "\0",
      "deep.py": `x = ${"(".repeat(9999)}`,
      "main.py": `\ufeff${FASTAPI}`,
    };
    const { apps, unread } = detect(project(files));
    expect([apps.map(({ target }) => target), unread]).toEqual([["main:app"], ["old.py", "nul.py", "deep.py"]]);
  });

  it("keeps Django's settings as a variable", () => {
    const [app] = detect(project({ "manage.py": "", "mysite/__init__.py": "", "mysite/wsgi.py": WSGI_PY })).apps;
    expect(app?.env).toEqual({ DJANGO_SETTINGS_MODULE: "mysite.settings" });
  });

  it("an installation starts no server", () => {
    const files = {
      Dockerfile: "RUN pip install gunicorn uvicorn\n",
      "setup.sh": "# gunicorn app:app\npip install gunicorn\n",
    };
    expect(findServerCommands(project(files))).toEqual([]);
  });
});

describe("what is installed", () => {
  const dependencies = (files: Files) => {
    const { source, requirements, locked, python } = findDependencies(project(files));
    return { source, names: requirements.map(({ text, at }) => `${text} ${at}`), locked: [...locked], python };
  };

  test("requirements files, with those that they include, hashes and comments", () => {
    const files = {
      "requirements/prod.txt": "-r base.txt\ngunicorn==23 # the server\n",
      "requirements/base.txt": "--index-url https://example.org\n\nDjango==5.2 \\\n    --hash=sha256:abc\n-e .\npytz\n",
    };
    expect(dependencies(files)).toMatchObject({
      source: { kind: "requirements", file: "requirements/prod.txt" },
      names: [
        "Django==5.2 requirements/base.txt:3",
        "pytz requirements/base.txt:6",
        "gunicorn==23 requirements/prod.txt:2",
      ],
    });
  });

  test.each<[string, Files, string, object, string[]]>([
    [
      "beside the app, where the project's folder has none",
      { "src/requirements.txt": "fastapi\n" },
      "src",
      { kind: "requirements", file: "src/requirements.txt" },
      ["fastapi src/requirements.txt:1"],
    ],
    [
      "between the app and the project's folder",
      {
        // A workspace: its lock is of all its members.
        "pyproject.toml": '[tool.uv.workspace]\nmembers = ["backend"]\n',
        "uv.lock": "version = 1\n",
        "backend/pyproject.toml": '[project]\nname = "x"\ndependencies = ["flask"]\n',
      },
      "backend/src",
      { kind: "requirements", file: "backend/pyproject.toml" },
      ["flask backend/pyproject.toml:3"],
    ],
    [
      "in the project's folder, where both have some",
      { "requirements.txt": "flask\n", "src/requirements.txt": "pytest\n" },
      "src",
      { kind: "requirements", file: "requirements.txt" },
      ["flask requirements.txt:1"],
    ],
  ])("%s", (_, files, folder, source, names) => {
    const found = findDependencies(project(files), folder);
    expect(found.source).toEqual(source);
    expect(found.requirements.map(({ text, at }) => `${text} ${at}`)).toEqual(names);
  });

  test("the lock of a workspace is not passed over in silence", () => {
    const member = '[project]\nname = "x"\ndependencies = ["flask"]\n';
    const files = { "pyproject.toml": "", "uv.lock": "version = 1\n", "backend/pyproject.toml": member };
    const lines = [expect.stringMatching(/^uv\.lock of the workspace is not read.*`uv export/)];
    expect(findDependencies(project(files), "backend").unread).toEqual(lines);
    const own = { ...files, "backend/uv.lock": "version = 1\n" };
    expect(findDependencies(project(own), "backend").unread).toEqual([]);
  });

  test("a lock of uv before the project's own list", () => {
    const files = {
      "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.12"\ndependencies = ["Flask>=3"]\n',
      "uv.lock": 'version = 1\n[[package]]\nname = "flask"\nversion = "3.1.3"\n',
    };
    expect(dependencies(files)).toEqual({
      source: { kind: "lock", file: "uv.lock", installable: false },
      names: ["Flask>=3 pyproject.toml:4"],
      locked: [["flask", "3.1.3"]],
      python: { value: ">=3.12", at: "pyproject.toml:3" },
    });
  });

  test("Poetry's own ways to write a version", () => {
    const poetry =
      '[tool.poetry.dependencies]\npython = "^3.11"\nflask = "^3.1"\nuvicorn = { version = "0.30.0", extras = ["standard"] }\nrich = "*"\n';
    expect(dependencies({ "pyproject.toml": poetry }).names).toEqual([
      "flask>=3.1,<4 pyproject.toml:3",
      "uvicorn[standard]==0.30.0 pyproject.toml:4",
      "rich pyproject.toml:5",
    ]);
  });

  test.each([
    ["2.1", "package-mode = false", { kind: "lock", file: "poetry.lock", installable: false }],
    ["2.1", "packages = [{ include = 'app' }]", { kind: "lock", file: "poetry.lock", installable: true }],
    ["2.1", "", { kind: "lock", file: "poetry.lock", installable: false }],
    ["2.0", "packages = [{ include = 'app' }]", { kind: "project", file: "pyproject.toml" }],
    ["2.0", "package-mode = false", { kind: "requirements", file: "pyproject.toml" }],
    ["1.1", "", { kind: "requirements", file: "pyproject.toml" }],
  ])("a poetry.lock of format %s, with %s", (format, fields, source) => {
    const build = '[build-system]\nrequires = ["poetry-core"]\n';
    const pyproject = `${build}[tool.poetry]\nname = "shop"\n${fields}\n[tool.poetry.dependencies]\nflask = "^3.1"\n`;
    const lock = `[[package]]\nname = "flask"\nversion = "3.1.3"\n[metadata]\nlock-version = "${format}"\n`;
    expect(dependencies({ "pyproject.toml": pyproject, "poetry.lock": lock }).source).toEqual(source);
  });

  test.each([
    ["[project]\nname = 'x'\nrequires-python = '>=3.12'\n", { value: ">=3.12", at: "pyproject.toml:3" }],
    ["[tool.poetry.dependencies]\npython = '^3.12'\n", { value: "^3.12", at: "pyproject.toml:2" }],
    ["[project]\nname = 'x'\n", undefined],
  ])("the Python of %s", (text, python) => {
    expect(dependencies({ "pyproject.toml": text }).python).toEqual(python);
  });

  test("a module of the project's name makes it a package for Poetry 1 too", () => {
    const pyproject =
      '[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core.masonry.api"\n[tool.poetry]\nname = "my-shop"\n';
    expect(dependencies({ "pyproject.toml": pyproject, "my_shop/__init__.py": "" }).source.kind).toBe("project");
    expect(dependencies({ "pyproject.toml": pyproject, "shop.py": "" }).source.kind).not.toBe("project");
  });

  test("`package = false` of uv", () => {
    const build = "[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n";
    const text = `${build}[project]\nname = "x"\ndependencies = ["flask"]\n[tool.uv]\npackage = false\n`;
    expect(dependencies({ "pyproject.toml": text }).source).toEqual({ kind: "requirements", file: "pyproject.toml" });
    const lock = 'version = 1\n[[package]]\nname = "flask"\nversion = "3.1.3"\n';
    expect(dependencies({ "pyproject.toml": text, "uv.lock": lock }).source).toMatchObject({ installable: false });
  });

  test.each<[string, Files, RegExp[]]>([
    [
      "pdm.lock",
      { "pdm.lock": "", "pyproject.toml": "[project]\nname = 'x'\n" },
      [/^pdm\.lock is not read.*`pdm export /],
    ],
    [
      "Pipfile",
      { Pipfile: "", "Pipfile.lock": "{}" },
      [/^Pipfile and Pipfile\.lock are not read.*`pipenv requirements > /],
    ],
    [
      "poetry.lock",
      { "poetry.lock": '[metadata]\nlock-version = "2.0"\n', "pyproject.toml": "" },
      [/^poetry\.lock was written by Poetry 1, .* not used\. Run `poetry lock` with Poetry 2\.$/],
    ],
    ["pylock.toml", { "pylock.toml": "", "pdm.lock": "" }, []],
  ])("%s is not passed over in silence", (_, files, sentences) => {
    expect(findDependencies(project(files)).unread).toEqual(sentences.map((one) => expect.stringMatching(one)));
  });

  test("setup.cfg", () => {
    const text =
      "[options]\ninstall_requires =\n    flask>=2  # web\n    six\n\n[options.extras_require]\ntest = pytest\n";
    expect(dependencies({ "setup.cfg": text, "setup.py": "" })).toMatchObject({
      source: { kind: "project", file: "setup.py" },
      names: ["flask>=2 setup.cfg:3", "six setup.cfg:4"],
    });
  });

  test.each([
    [
      "can be built",
      "[build-system]\nrequires = []\n[project]\nname = 'x'\n",
      { kind: "project", file: "pyproject.toml" },
    ],
    ["is a list of requirements", "[project]\nname = 'x'\n", { kind: "requirements", file: "pyproject.toml" }],
    ["has settings of tools alone", "[tool.ruff]\n", { kind: "none" }],
  ])("a pyproject.toml that %s", (_, text, source) => {
    expect(dependencies({ "pyproject.toml": text }).source).toEqual(source);
  });

  test("a TOML file that is none is named with its line", () => {
    expect(() => detect(project({ "pyproject.toml": "[project]\nname = x\n" }))).toThrow(
      /^pyproject\.toml:2: not valid TOML: /,
    );
  });
});

test.each<[Files, { value: string; at: string } | undefined]>([
  [
    { ".python-version": "# of pyenv\n3.12.4\n", "runtime.txt": "python-3.11.2" },
    { value: "3.12", at: ".python-version:2" },
  ],
  [{ ".python-version": "cpython-3.13\n" }, { value: "3.13", at: ".python-version:1" }],
  [{ "runtime.txt": "python-3.11.2\n" }, { value: "3.11", at: "runtime.txt:1" }],
  [{ ".python-version": "pypy3.10\n" }, undefined],
  [{}, undefined],
])("the Python that %j names", (files, named) => {
  expect(namedPython(project(files))).toEqual(named);
});

/** The lines that start a server, as people write them in each kind of file. */
import { describe, expect, it, test } from "vitest";
import { findServerCommands } from "../../src/init/server-files.js";
import { shellCommands } from "../../src/init/shell-words.js";

/** `server interface knobs place` of each command. */
function commands(file: string, text: string, others: Readonly<Record<string, string>> = {}): string[] {
  const found = findServerCommands(new Map([[file, text], ...Object.entries(others)]));
  return found.map(({ value, at }) => [value.server, value.interface, JSON.stringify(value.knobs), at].join(" "));
}

describe("a command line that a shell is given", () => {
  const THREADS = 'gunicorn wsgi {"threads":4}';
  it.each<[string, string, string, string]>([
    [
      "compose, as a text",
      "compose.yml",
      'services:\n  web:\n    command: bash -c "python manage.py migrate && gunicorn mysite.wsgi --threads 4"\n',
      "compose.yml:3",
    ],
    [
      "compose, as a block of lines",
      "compose.yml",
      "services:\n  web:\n    command: |\n      pip install gunicorn\n      gunicorn mysite.wsgi --threads 4\n",
      "compose.yml:3",
    ],
    [
      "compose, a block of lines in a list",
      "docker-compose.yaml",
      "services:\n  web:\n    command:\n      - sh\n      - -c\n      - |\n        # gunicorn old:app\n        pip install gunicorn\n        exec gunicorn mysite.wsgi --threads 4\n",
      "docker-compose.yaml:4",
    ],
    [
      "compose, one command over several lines",
      "compose.yml",
      "services:\n  web:\n    command: |\n      gunicorn\n      --threads 4\n      mysite.wsgi\n",
      "compose.yml:3",
    ],
    ["Dockerfile", "Dockerfile", 'CMD sh -c "exec gunicorn mysite.wsgi --threads 4"\n', "Dockerfile:1"],
    [
      "Dockerfile, as a list",
      "Dockerfile",
      'CMD ["bash", "-lc", "gunicorn mysite.wsgi --threads=4"]\n',
      "Dockerfile:1",
    ],
    ["Procfile", "Procfile", "web: sh -c 'gunicorn mysite.wsgi --bind=\"[::]:$PORT\" --threads 4'\n", "Procfile:1"],
  ])("%s", (_, file, text, place) => {
    expect(commands(file, text)).toEqual([`${THREADS} ${place}`]);
  });
});

test("words, quotes, substitutions and comments", () => {
  const text = `a --b="c d" $((2 * $(nproc))) 'e'f # g; h\ni 2>&1 && j \\\n k &`;
  expect(shellCommands(text)).toEqual([
    ["a", "--b=c d", "$((2 * $(nproc)))", "ef"],
    ["i", "2>&1"],
    ["j", "k"],
  ]);
});

describe("a Dockerfile", () => {
  it("has the place of the command, also below a continued health check", () => {
    const text = [
      "FROM python",
      "HEALTHCHECK --interval=5s \\",
      "  CMD curl -f http://localhost/ || exit 1",
      'CMD ["uvicorn", "shop:app"]',
      "",
    ].join("\n");
    expect(commands("Dockerfile", text)).toEqual(["uvicorn asgi {} Dockerfile:4"]);
  });

  it("adds CMD to ENTRYPOINT, and begins with the last stage", () => {
    const text =
      'FROM a AS dev\nCMD uvicorn shop:app\nFROM a\nENTRYPOINT ["gunicorn"]\nCMD ["--threads", "2", "shop:app"]\n';
    expect(commands("Dockerfile", text)).toEqual([
      'gunicorn wsgi {"threads":2} Dockerfile:4',
      "uvicorn asgi {} Dockerfile:2",
    ]);
    const init = 'FROM a\nENTRYPOINT ["tini", "--"]\nCMD ["uvicorn", "shop:app"]\n';
    expect(commands("Dockerfile", init)).toEqual(["uvicorn asgi {} Dockerfile:3"]);
  });
});

describe("a recipe", () => {
  it("of a Makefile", () => {
    const text = [
      "run: install",
      "\t@uvicorn shop:app --reload",
      "prod:",
      "\t-$(VENV)/bin/gunicorn shop:app \\",
      "\t\t--threads $$THREADS -k uvicorn.workers.UvicornWorker",
      "install:",
      "\tpip install gunicorn",
      "",
    ].join("\n");
    expect(commands("Makefile", text)).toEqual([
      'gunicorn asgi {"worker":"uvicorn-worker"} Makefile:4',
      "uvicorn asgi {} Makefile:2",
    ]);
  });

  it("of a justfile, behind what is deployed", () => {
    const text = "serve port='80':\n    @uv run granian --interface asgi shop:app --port {{port}}\n";
    expect(commands("justfile", text, { Procfile: "web: hypercorn shop:app\n" })).toEqual([
      "hypercorn asgi {} Procfile:1",
      "granian asgi {} justfile:2",
    ]);
  });
});

describe("gunicorn's own file", () => {
  it("adds the settings that the command leaves out", () => {
    expect(commands("Procfile", "web: gunicorn shop:app\n", { "gunicorn.conf.py": "threads = 4\n" })).toEqual([
      'gunicorn wsgi {"threads":4} Procfile:1',
    ]);
  });

  it("adds none that the command's worker cannot have", () => {
    const web = "web: gunicorn shop:app -k uvicorn.workers.UvicornWorker\n";
    expect(commands("Procfile", web, { "gunicorn.conf.py": "threads = 4\n" })).toEqual([
      'gunicorn asgi {"worker":"uvicorn-worker"} Procfile:1',
    ]);
  });

  it("has the worker of a command that names threads alone", () => {
    const settings = 'worker_class = "uvicorn.workers.UvicornWorker"\n';
    expect(commands("Procfile", "web: gunicorn shop:app --threads 4\n", { "gunicorn.conf.py": settings })).toEqual([
      'gunicorn asgi {"worker":"uvicorn-worker"} Procfile:1',
    ]);
  });
});

describe("what is no command", () => {
  it("a word that every object of JavaScript has", () => {
    expect(commands("run.sh", "grep constructor *.py\ntoString shop:app\n")).toEqual([]);
  });

  it("a broken pyproject.toml in a folder", () => {
    expect(commands("template/pyproject.toml", "name = {{ name }}\n")).toEqual([]);
    expect(() => commands("pyproject.toml", "name = {{ name }}\n")).toThrow(/^pyproject\.toml:1: not valid TOML/);
  });
});

it.each([
  ["granian --interface wsgi --process-name shop shop:app", "shop app"],
  ["gunicorn -w4 -b:80 shop:app", "shop app"],
  ["uvicorn --factory shop:create_app", "shop create_app()"],
  ["fastapi run --port 80 --app api src/shop/main.py", "src/shop/main.py api"],
])("the app of %s", (command, expected) => {
  const [found] = findServerCommands(new Map([["run.sh", command]]));
  const target = found?.value.target;
  expect(target && [target.by === "file" ? target.path : target.module, target.object].join(" ")).toBe(expected);
});

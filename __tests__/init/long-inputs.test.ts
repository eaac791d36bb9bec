/** Files that nobody would write: what reads them takes time in proportion to their length. */
import { expect, it } from "vitest";
import { detect } from "../../src/init/detect.js";

const LENGTH = 200_000;
/** A hundredth of it is enough. With each character once more for every other one it takes minutes. */
const LIMIT_MS = 2000;

const RUNS = [
  " ",
  "\t",
  "-",
  "/",
  "=",
  "[",
  "(",
  '"',
  "'",
  "\\",
  "#",
  "a",
  "a.",
  "1.",
  "$(",
  "a=",
  "a ",
  "--hash=",
  "\\\n",
  " \n",
  "\\ ",
];

/** What a line has to begin with, so that the rest of it is read. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  Procfile: ["web: ", "web: gunicorn "],
  Dockerfile: ["CMD ", "CMD [", "FROM", "CMD gunicorn app:app "],
  "pyproject.toml": ['[project]\nname = "x"\ndependencies = ["', '[tool.poe.tasks]\nx = "gunicorn '],
  "run.sh": ["gunicorn ", "a"],
  "uwsgi.ini": ["", "module = a", "threads"],
  Makefile: ["\t", "\t@gunicorn "],
  justfile: [" @", " gunicorn "],
  "requirements.txt": ["", "flask", "uvicorn[", "-r "],
  "setup.cfg": ["[options]\ninstall_requires =", "[options]\ninstall_requires =\n "],
  "setup.py": ["python_requires='", "install_requires=["],
  Pipfile: ["[packages]\nx = '"],
  "gunicorn.conf.py": ["threads = ", "wsgi_app = '"],
  ".python-version": ["", "3."],
  "runtime.txt": ["python-"],
};

it.each(Object.entries(FILES))("%s", (file, beginnings) => {
  const slow: string[] = [];
  for (const beginning of beginnings)
    for (const run of RUNS) {
      const start = performance.now();
      const text = `${beginning}${run.repeat(LENGTH / run.length)}!x\n`;
      try {
        detect(new Map([[file, text]]), {});
      } catch {
        // Refused; that takes no longer.
      }
      const ms = performance.now() - start;
      if (ms > LIMIT_MS) slow.push(`${JSON.stringify(beginning + run)}: ${ms.toFixed()} ms`);
    }
  expect(slow).toEqual([]);
});

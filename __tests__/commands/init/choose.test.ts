/** The app and the server that options choose among those that were found. */
import { describe, expect, it } from "vitest";
import { openDisplay } from "../../../src/commands/display.js";
import { choose, nameOf } from "../../../src/commands/init/choose.js";
import { readInitOptions } from "../../../src/commands/init/options.js";
import { openQuestions } from "../../../src/commands/init/questions.js";
import { parseArguments } from "../../../src/commands/options.js";
import { detect } from "../../../src/init/detect.js";
import { loadLibrary } from "../../../src/plan/load.js";
import { ROOT } from "../../support/own-set.js";
import { pythonOf } from "../../support/python-files.js";

async function chosen(files: Readonly<Record<string, string>>, ...args: string[]) {
  let output = "";
  const stdout = { write: (text: string) => (output += text) };
  const parsed = parseArguments(["init", "--yes", ...args]);
  if (!("positionals" in parsed)) throw new Error("help");
  const project = new Map(Object.entries(files));
  const process = { root: ROOT, cwd: "/home/me/shop", env: {}, stdout, stderr: stdout };
  using questions = openQuestions(process, true);
  const options = readInitOptions(parsed, process.cwd);
  const library = await loadLibrary(ROOT, undefined);
  const choice = await choose({
    options,
    named: nameOf(options, project, library),
    files: project,
    detected: detect(project, pythonOf(project)),
    library,
    questions,
    display: openDisplay(stdout, {}),
  });
  return { choice, output };
}

const FLASK = "from flask import Flask\napp = Flask(__name__)\n";
const FASTAPI = "from fastapi import FastAPI\napp = FastAPI()\n";

describe("--interface", () => {
  it("is that of the found app", async () => {
    const { choice } = await chosen({ "app.py": FLASK, Procfile: "web: gunicorn app:app\n" }, "--interface", "asgi");
    expect([choice.app.interface, choice.server.name]).toEqual(["asgi", "uvicorn"]);
  });

  it("chooses among several apps", async () => {
    const { choice } = await chosen({ "app.py": FLASK, "main.py": FASTAPI }, "--interface", "asgi");
    expect(choice.app.target).toBe("main:app");
  });
});

describe("--env", () => {
  it("is given to the app, and said", async () => {
    const { choice, output } = await chosen({ "app.py": FLASK }, "--env", "SECRET_KEY=x");
    expect(choice.app.env).toEqual({ SECRET_KEY: "x" });
    expect(output).toMatch(/^env {7}SECRET_KEY, written to servers\.yml, which is committed: no place for a secret$/m);
  });
});

it("files that Python cannot read are named where no app is found", async () => {
  await expect(chosen({ "app.py": 'print "x"\n' })).rejects.toThrow(
    / or Django app \(app\.py: no Python that python3 can read\); --app /,
  );
});

it("a lock that is not used is said", async () => {
  const { output } = await chosen({ "app.py": FLASK, "Pipfile.lock": "{}" });
  expect(output).toMatch(
    /^install {3}nothing: no file names requirements\n {10}Pipfile and Pipfile\.lock are not read\./m,
  );
});

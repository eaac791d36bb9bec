/** Which pages are measured, and what is said of those that cannot be. */
import { describe, expect, it, test } from "vitest";
import { connectionRemedy, variableRemedy } from "../../../src/commands/init/inspection.js";
import { readInitOptions } from "../../../src/commands/init/options.js";
import { followWithin, namedRoutes, typedRoutes } from "../../../src/commands/init/propose.js";
import { installLine, tryLine } from "../../../src/commands/init/words.js";
import { parseArguments } from "../../../src/commands/options.js";
import type { Dependencies } from "../../../src/init/dependencies.js";

describe("pages that somebody types", () => {
  const routes = namedRoutes(["/", "/items"], null, new Map());
  const paths = (typed: string) => typedRoutes(typed, routes).map(({ path }) => path);

  it("are those that answered", () => {
    expect(paths("/items")).toEqual(["/items"]);
    expect(paths("/items, /")).toEqual(["/", "/items"]);
  });

  it.each(["/item", "/items /orders", "items", ","])("%s is refused with the pages to choose from", (typed) => {
    expect(() => paths(typed)).toThrow(/^".*" names .*, and the pages to choose from are \/ \/items; --route PATH/);
  });

  it("the message names each page that is none of them", () => {
    expect(() => paths("/ /orders /carts")).toThrow('"/ /orders /carts" names /orders, /carts, and');
  });
});

test.each([
  ["/authors/", true],
  ["/lessons/", true],
  ["/processors/", true],
  ["/accountants", true],
  ["/login/?next=/", false],
  ["/accounts/sign-in", false],
  ["/oauth2/start", false],
  ["/user_login", false],
])("a redirect to %s is followed: %s", (location, followed) => {
  const [route] = namedRoutes(["/"], null, new Map());
  if (route === undefined) throw new Error("no route");
  const answer = { kind: "answer", status: 302, location, type: undefined, body: Buffer.alloc(0) } as const;
  const next = followWithin(new Map())({ state: "answered", route, answer }, [route], 8000);
  expect(next?.path).toBe(followed ? location : undefined);
});

const FIELDS = "database_url\n  Field required [type=missing]\nREDIS_URL\n  Field required [type=missing]";

test.each([
  ["KeyError: 'SECRET_KEY'", "--env SECRET_KEY=VALUE sets one"],
  ["ImproperlyConfigured: The SECRET_KEY setting must not be empty.", "--env NAME=VALUE sets one"],
  ["ValidationError: 1 validation error for Settings\nsecret_key\n  Field required", "--env SECRET_KEY=VALUE sets one"],
  [
    `ValidationError: 2 validation errors for Settings\n${FIELDS}`,
    "--env DATABASE_URL=VALUE --env REDIS_URL=VALUE sets them",
  ],
  ["UndefinedValueError: SECRET_KEY not found. Declare it as envvar.", "--env NAME=VALUE sets one"],
  ["RuntimeError: set the environment variable SECRET_KEY", "--env NAME=VALUE sets one"],
])("%s: the variables are named", (error, words) => {
  expect(variableRemedy(error)).toContain(`The app sees none of this shell's variables; ${words} (`);
});

test.each(["KeyError: 'name'", "ZeroDivisionError: division by zero"])("%s: no variable is named", (error) => {
  expect(variableRemedy(error)).toBe("");
});

test.each([
  ["ConnectionRefusedError: [Errno 111] Connection refused", true],
  ['OperationalError: could not translate host name "postgres" to address: Name or service not known', true],
  ["gaierror: [Errno -3] Temporary failure in name resolution", true],
  ["ZeroDivisionError: division by zero", false],
])("%s: another program is named: %s", (error, named) => {
  expect(connectionRemedy(error).includes("Start that program first")).toBe(named);
});

describe("--env", () => {
  const optionsOf = (...args: string[]) => {
    const parsed = parseArguments(["init", ...args]);
    if (!("positionals" in parsed)) throw new Error("help");
    return readInitOptions(parsed, "/home/me");
  };

  it("may be given several times, and its value may have any sign", () => {
    expect(optionsOf("--env", "SECRET_KEY=a=b", "--env", "MODE=").env).toEqual({ SECRET_KEY: "a=b", MODE: "" });
  });

  it("needs a name and a value", () => {
    expect(() => optionsOf("--env", "SECRET_KEY")).toThrow(
      'invalid --env "SECRET_KEY": write NAME=VALUE, such as SECRET_KEY=benchmark',
    );
    expect(() => optionsOf("--env", "2=3")).toThrow('invalid --env "2=3"');
  });
});

test("the command to try can be pasted", () => {
  expect(tryLine(["node", "../my tools/dist/cli.js", "run", "shop"], "my shop")).toBe(
    "Try it:   cd 'my shop' && node '../my tools/dist/cli.js' run shop",
  );
  expect(tryLine(["node", "dist/cli.js", "--base", "HEAD~1"], undefined)).toBe(
    "Try it:   node dist/cli.js --base HEAD~1",
  );
});

test.each<[Dependencies["source"], readonly string[], string]>([
  [{ kind: "none" }, [], "nothing: no file names requirements"],
  [{ kind: "project", file: "setup.py" }, [], "the project with what it requires, setup.py"],
  [{ kind: "project", file: "pyproject.toml" }, ["flask"], "1 requirement, pyproject.toml"],
  [{ kind: "requirements", file: "requirements.txt" }, ["flask", "six"], "2 requirements, requirements.txt"],
  [{ kind: "lock", file: "uv.lock", installable: false }, ["flask"], "the versions of the lock, uv.lock"],
])("what is installed from %j is said", (source, names, words) => {
  const requirements = names.map((name) => ({ name, text: name, at: "" }));
  const line = installLine({ source, requirements, added: [], locked: new Map(), python: undefined, unread: [] });
  expect(line).toBe(`install   ${words}`);
});

/** The command that starts a server -> the built-in server and the settings of it that a row can have. */
import type { InterfaceName } from "../plan/types.js";
import { PROGRAMS, type Program } from "./server-programs.js";
import { type KnobValues, readSettings } from "./server-settings.js";
import { programOf } from "./shell-words.js";

/** What a command says of the app. */
export type CommandTarget =
  /** Without an object the server adds its usual name. */
  | { readonly by: "module"; readonly module: string; readonly object: string | undefined }
  /** A path of a Python file, as uWSGI's `wsgi-file` has it. */
  | { readonly by: "file"; readonly path: string; readonly object: string | undefined };

export interface ServerCommand {
  /** Name of the built-in server. */
  readonly server: string;
  readonly interface: InterfaceName | undefined;
  readonly target: CommandTarget | undefined;
  /** Folder that the app is imported from, as the command names it. */
  readonly folder: string | undefined;
  readonly knobs: KnobValues;
  readonly workers: string | undefined;
  /** The options by their long names. A file of settings can add to them. */
  readonly options: ReadonlyMap<string, string>;
}

/** Reads one command; undefined where it starts none of the servers. */
export function readServerCommand(words: readonly string[]): ServerCommand | undefined {
  const start = words.findIndex((word) => Object.hasOwn(PROGRAMS, programOf(word)));
  const program = start < 0 ? undefined : PROGRAMS[programOf(words[start] ?? "")];
  if (program === undefined) return fastapiRun(words);
  // `pip install gunicorn` starts none.
  if (words.slice(0, start).some((word) => /^(install|add|which|command)$/.test(word))) return undefined;
  const { options, positionals } = split(words.slice(start + 1), program);
  return commandOf(program.server, options, positionals[0]);
}

/** Options without a value. */
const FASTAPI_FLAGS: ReadonlySet<string> = new Set(["--reload", "--proxy-headers"]);

/** `fastapi run app/main.py` starts uvicorn. */
function fastapiRun(words: readonly string[]): ServerCommand | undefined {
  const start = words.findIndex((word, index) => programOf(word) === "fastapi" && words[index + 1] === "run");
  if (start < 0) return undefined;
  const { options, positionals } = split(words.slice(start + 2), { short: {}, flags: FASTAPI_FLAGS });
  const path = positionals.find((word) => word.endsWith(".py"));
  const target: CommandTarget | undefined =
    path === undefined ? undefined : { by: "file", path, object: options.get("--app") };
  return { ...commandOf("uvicorn", new Map(), undefined), target, workers: options.get("--workers") };
}

function split(words: readonly string[], { short, flags }: Pick<Program, "short" | "flags">) {
  const options = new Map<string, string>();
  const positionals: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (!word.startsWith("-")) {
      positionals.push(word);
      continue;
    }
    // `--workers=4`, `-w4`
    const [, name, value] = /^(--?[\w-]+)=(.*)$/.exec(word) ?? /^(-[A-Za-z])(.+)$/.exec(word) ?? [];
    if (name !== undefined) options.set(short[name] ?? name, value ?? "");
    else if (flags.has(word) || word.startsWith("--no-")) options.set(word, "");
    else {
      index += 1;
      options.set(short[word] ?? word, words[index] ?? "");
    }
  }
  return { options, positionals };
}

/** Also for settings that a file holds: `--threads` stands for `threads = 2`. */
export function commandOf(
  server: string,
  options: ReadonlyMap<string, string>,
  positional: string | undefined,
): ServerCommand {
  return {
    ...readSettings(server, options),
    target: targetOf(options, positional),
    folder: options.get("--chdir") ?? options.get("--app-dir") ?? options.get("--pythonpath"),
    workers: options.get("--workers") ?? options.get("--processes"),
    options,
  };
}

function targetOf(options: ReadonlyMap<string, string>, positional: string | undefined): CommandTarget | undefined {
  const callable = options.get("--callable");
  const path = options.get("--wsgi-file");
  const named = options.get("--module");
  if (named === undefined && path !== undefined) return { by: "file", path, object: callable };
  const [, module, own] = /^([A-Za-z_][\w.]*)(?::([A-Za-z_][\w.]*(?:\(\))?))?$/.exec(named ?? positional ?? "") ?? [];
  if (module === undefined) return undefined;
  const object = own ?? callable;
  const factory = options.has("--factory") || options.has("--call");
  return {
    by: "module",
    module,
    object: factory && object !== undefined ? `${object.replace(/\(\)$/, "")}()` : object,
  };
}

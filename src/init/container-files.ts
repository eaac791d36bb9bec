/** The commands of Dockerfiles and compose files. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { continuedLines, type Found } from "../plan/text-places.js";
import { commandsIn, commandsOfWords } from "./commands-in.js";
import type { ServerCommand } from "./server-command.js";
import { shellCommands } from "./shell-words.js";

/** The last stage comes first: it is the one that runs, unless another one is asked for. */
export function dockerfile(file: string, text: string): Found<ServerCommand>[] {
  const stages: Stage[] = [{}];
  for (const { value, at } of continuedLines(file, text)) {
    const [, instruction = "", rest = ""] = /^(FROM|CMD|ENTRYPOINT)\s(.*)$/is.exec(value.trim()) ?? [];
    const stage: Stage = stages.at(-1) ?? {};
    // The last one of a stage counts.
    if (/^from$/i.test(instruction)) stages.push({});
    else if (/^cmd$/i.test(instruction)) stage.command = { value: rest, at };
    else if (/^entrypoint$/i.test(instruction)) stage.entrypoint = { value: rest, at };
  }
  return stages.reverse().flatMap(commandsOfStage);
}

interface Stage {
  command?: Found<string>;
  entrypoint?: Found<string>;
}

/** Docker adds the words of CMD to those of ENTRYPOINT where both are lists. */
function commandsOfStage({ command, entrypoint }: Stage): Found<ServerCommand>[] {
  const own = command === undefined ? [] : commandsOf(command);
  if (entrypoint === undefined) return own;
  const [before, after] = [wordsOf(entrypoint.value), command && wordsOf(command.value)];
  const both = before && after ? commandsOfWords([...before, ...after], entrypoint.at) : [];
  // An entrypoint such as `["tini", "--"]` only starts the command.
  if (own.length > 0) return both.length > 0 ? both.map((one) => ({ ...one, at: own[0]?.at ?? one.at })) : own;
  return both.length > 0 ? both : commandsOf(entrypoint);
}

function commandsOf({ value, at }: Found<string>): Found<ServerCommand>[] {
  const words = wordsOf(value);
  return words === undefined ? commandsIn(value, at) : commandsOfWords(words, at);
}

/** The words of `["gunicorn", "shop:app"]`; undefined for a line that a shell reads. */
function wordsOf(text: string): readonly string[] | undefined {
  if (!text.trim().startsWith("[")) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) ? words.map(String) : undefined;
  } catch {
    return undefined;
  }
}

export function compose(file: string, text: string): Found<ServerCommand>[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const services = document.get("services", true);
  if (document.errors.length > 0 || !isMap(services)) return [];
  return services.items.flatMap(({ value: service }) => {
    const command = isMap(service) ? (service.get("command", true) as Node | undefined) : undefined;
    const at = `${file}:${lines.linePos(command?.range?.[0] ?? 0).line}`;
    if (isScalar(command) && typeof command.value === "string") return composeText(command.value, at);
    if (!isSeq(command)) return [];
    const words: unknown = command.toJSON();
    return Array.isArray(words) ? commandsOfWords(words.map(String), at) : [];
  });
}

/** Compose splits a text at blanks and line ends. Where that shows no server, the lines are commands. */
function composeText(text: string, at: string): Found<ServerCommand>[] {
  const whole = /&&|[;|]/.test(text) ? [] : commandsOfWords(shellCommands(text).flat(), at);
  return whole.length > 0 ? whole : commandsIn(text, at);
}

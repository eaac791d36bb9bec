/** The commands of a text that start a server. */
import type { Found } from "../plan/text-places.js";
import { readServerCommand, type ServerCommand } from "./server-command.js";
import { nestedCommand, shellCommands } from "./shell-words.js";

/** The commands of a text that a shell reads. */
export function commandsIn(text: string, at: string): Found<ServerCommand>[] {
  return shellCommands(text).flatMap((words) => commandsOfWords(words, at));
}

/** The command of a list of words. The first word may be a shell that is given a command line. */
export function commandsOfWords(words: readonly string[], at: string): Found<ServerCommand>[] {
  const nested = nestedCommand(words);
  if (nested !== undefined) return commandsIn(nested, at);
  const value = readServerCommand(words);
  return value === undefined ? [] : [{ value, at }];
}

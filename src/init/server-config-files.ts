/** The servers' own files of settings: uWSGI's and gunicorn's. */
import { type Found, linesOf } from "../plan/text-places.js";
import { commandOf, type ServerCommand } from "./server-command.js";

export function uwsgiIni(file: string, text: string): Found<ServerCommand>[] {
  const options = new Map<string, string>();
  let at = `${file}:1`;
  for (const line of linesOf(file, text)) {
    const [, name, value = ""] = /^([\w-]+)\s*=(.*)$/s.exec(line.value.trim()) ?? [];
    if (name === undefined) continue;
    if (/^(module|wsgi|wsgi-file)$/.test(name)) at = line.at;
    options.set(`--${name === "wsgi" ? "module" : name === "workers" ? "processes" : name}`, value.trim());
  }
  return [{ value: commandOf("uwsgi", options, undefined), at }];
}

/** Settings in gunicorn's Python file. */
export function gunicornFile(file: string, text: string): Found<ServerCommand> {
  const options = new Map<string, string>();
  let at = `${file}:1`;
  for (const line of linesOf(file, text)) {
    const [, name, value = ""] = /^(wsgi_app|worker_class|threads|chdir|workers)\s*=(.*)$/s.exec(line.value) ?? [];
    if (name === undefined) continue;
    if (name === "wsgi_app" || options.size === 0) at = line.at;
    options.set(`--${name.replaceAll("_", "-")}`, /^["']?([^"'#]*)/.exec(value.trim())?.[1]?.trim() ?? "");
  }
  return { value: commandOf("gunicorn", options, options.get("--wsgi-app")), at };
}

/** An option on the command line comes before the same one in the file. They are read as one: a worker decides which apply. */
export function withSettings(command: ServerCommand, settings: ServerCommand): ServerCommand {
  const options = new Map([...settings.options, ...command.options]);
  return { ...commandOf("gunicorn", options, undefined), target: command.target ?? settings.target };
}

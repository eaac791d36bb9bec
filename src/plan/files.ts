/** The two kinds of scenario files, parsed and checked; and what the build keeps of them. */
import { type ExtendingSet, type ServersFile, type SetFile, serversFile, setFile } from "./schema.js";
import { type Compiled, fieldName, type Key, type Source } from "./source.js";
import { parseYaml } from "./yaml.js";

/** @throws InputError with file, line and field. */
export function parseServersFile(text: string, file: string): Source<ServersFile> {
  return parseYaml(text, file, serversFile);
}

/** @throws InputError with file, line and field. */
export function parseSetFile(text: string, file: string): Source<SetFile | ExtendingSet> {
  return parseYaml(text, file, setFile);
}

/** What the build stores for a file: its value, and the lines of the entries that messages name. */
export function compileFile(text: string, isServersFile: boolean): Compiled {
  const source = isServersFile ? parseServersFile(text, "file") : parseSetFile(text, "file");
  const lines = Object.fromEntries(
    entriesOf(source.value).map((path) => [fieldName(path), Number(source.at(path).split(":")[1])]),
  );
  return { value: source.value, lines };
}

function entriesOf(value: ServersFile | SetFile | ExtendingSet): Key[][] {
  if (!("servers" in value)) return (value.rows ?? []).map((_, i) => ["rows", i]);
  const { servers, apps, services, requests } = value;
  return Object.entries({ servers, apps, services, requests }).flatMap(([section, entries]) =>
    Object.keys(entries).map((name) => [section, name]),
  );
}

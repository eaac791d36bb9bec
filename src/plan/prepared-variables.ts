/** What is known only when a row is prepared or its server started. Variables and commands can contain it: `redis://{SERVICE_CACHE_HOST}`. */

/** The folder for data of one side and row. */
export const DATA_VARIABLE = "SERVER_BENCH_DATA";

const PREPARED = /\{(SERVICE_[A-Z0-9_]+|SERVER_BENCH_DATA)\}/g;
const PLACEHOLDER = new RegExp(`${PREPARED.source}|\\{(host|port|socket|cert|key)\\}`, "g");

/** `my-cache` -> `SERVICE_MY_CACHE`, which `_HOST` and `_PORT` follow. */
export function servicePrefix(service: string): string {
  return `SERVICE_${service.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}`;
}

export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PREPARED)].flatMap(([, name]) => name ?? []);
}

type Known = Readonly<Record<string, string>>;

/** @param known by name; another name stays as it is */
export function fillPlaceholders(env: Readonly<Record<string, string>>, known: Known): Record<string, string> {
  const names = Object.keys(env);
  const texts = fillTexts(Object.values(env), known);
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ""]));
}

/** The same for the words of a command. */
export function fillTexts(texts: readonly string[], known: Known): string[] {
  return texts.map((text) =>
    text.replaceAll(PLACEHOLDER, (whole, prepared?: string, given?: string) => known[prepared ?? given ?? ""] ?? whole),
  );
}

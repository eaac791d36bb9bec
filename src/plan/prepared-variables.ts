/** Variables that are known when a row is prepared. The variables of an app can contain them: `redis://{SERVICE_CACHE_HOST}`. */

/** The folder for data of one side and row. */
export const DATA_VARIABLE = "SERVER_BENCH_DATA";

const PLACEHOLDER = /\{(SERVICE_[A-Z0-9_]+|SERVER_BENCH_DATA)\}/g;

/** `my-cache` -> `SERVICE_MY_CACHE`, which `_HOST` and `_PORT` follow. */
export function servicePrefix(service: string): string {
  return `SERVICE_${service.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}`;
}

export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? []);
}

/** @param known by name; another name stays as it is */
export function fillPlaceholders(
  env: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string>>,
): Record<string, string> {
  const filled = (text: string) => text.replaceAll(PLACEHOLDER, (whole, name: string) => known[name] ?? whole);
  return Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text)]));
}

/** What a text left out to fit its limit, in words. */

const TABLE = "table of ";
/** More are counted, not named. */
const NAMED = 5;

/** @param title in Markdown */
export function tableOf(title: string): string {
  return `${TABLE}${title}`;
}

/** `the evidence; the tables of Interfaces, HTTP/2 and 3 more` */
export function leftOutText(parts: readonly string[]): string {
  const tables = parts.filter((part) => part.startsWith(TABLE)).map((part) => part.slice(TABLE.length));
  const others = parts.filter((part) => !part.startsWith(TABLE));
  const more = tables.length > NAMED ? ` and ${tables.length - NAMED} more` : "";
  return [...others, ...(tables.length > 0 ? [`the tables of ${tables.slice(0, NAMED).join(", ")}${more}`] : [])].join(
    "; ",
  );
}

/** The parts that a text left out to fit its limit, as a phrase. */
import { nameSome } from "../../messages/sentence.js";

const TABLE = "table of ";

/** @param title in Markdown */
export function tableOf(title: string): string {
  return `${TABLE}${title}`;
}

/** `the evidence; the tables of Interfaces, HTTP/2 and 3 more` */
export function leftOutText(parts: readonly string[]): string {
  const tables = parts.filter((part) => part.startsWith(TABLE)).map((part) => part.slice(TABLE.length));
  const others = parts.filter((part) => !part.startsWith(TABLE));
  return [...others, ...(tables.length > 0 ? [`the tables of ${nameSome(tables)}`] : [])].join("; ");
}

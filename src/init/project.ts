/** A project's files as text. */

/** Text by path, relative to the project's folder. */
export type ProjectFiles = ReadonlyMap<string, string>;

/** `src/shop/main.py` -> `src/shop`; "" for a file at the top. */
export function folderOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : "";
}

export function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "" && part !== ".").join("/");
}

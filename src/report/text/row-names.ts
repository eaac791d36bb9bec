/** What a row is called: by its title, and by its set or id where another row could be meant. */

export interface NamedRow {
  readonly id: string;
  readonly title?: string | undefined;
  readonly connections?: number | undefined;
}

/**
 * `RSGI bytes (c256)`; in a report of several sets `vs-asgi / RSGI bytes (c256)`; by its id where another row of its set has the same title.
 * @param rows all rows of the report
 */
export function rowNamer(rows: readonly NamedRow[]): (row: NamedRow) => string {
  const titleOf = ownTitles(rows);
  const several = new Set(rows.map(({ id }) => setOf(id))).size > 1;
  return (row) => {
    const title = titleOf(row);
    if (title === undefined) return withConnections(row.id, row);
    return withConnections(several ? `${setOf(row.id)} / ${title}` : title, row);
  };
}

/** For a place that shows the rows of each set by themselves. */
export function rowNamerInSet(rows: readonly NamedRow[]): (row: NamedRow) => string {
  const titleOf = ownTitles(rows);
  return (row) => withConnections(titleOf(row) ?? row.id.slice(setOf(row.id).length + 1), row);
}

/** The title of a row that no other row of its set has; results of strangers have ids for titles. */
function ownTitles(rows: readonly NamedRow[]): (row: NamedRow) => string | undefined {
  const keyOf = ({ id, title }: NamedRow) => `${setOf(id)}\n${title}`;
  const idsOf = new Map<string, Set<string>>();
  for (const row of rows) idsOf.set(keyOf(row), (idsOf.get(keyOf(row)) ?? new Set()).add(row.id));
  const isShared = (row: NamedRow) => (idsOf.get(keyOf(row))?.size ?? 0) > 1;
  return (row) => (isShared(row) || row.title === row.id ? undefined : row.title);
}

function withConnections(name: string, { connections }: NamedRow): string {
  return connections === undefined ? name : `${name} (c${connections})`;
}

/** `vs-asgi` of `vs-asgi/granian-rsgi` */
function setOf(id: string): string {
  return id.split("/", 1)[0] ?? "";
}

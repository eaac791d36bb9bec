/** Tables that a click on a heading sorts. */

interface Sorting {
  /** `2.3.descending`: table, column and direction; "" as long as nothing was sorted. */
  readonly value: () => string;
  readonly apply: (value: string) => void;
}

type Direction = "ascending" | "descending";

/** @param changed after each change by the reader */
export function sorting(changed: () => void): Sorting {
  const tables = [...document.querySelectorAll<HTMLTableElement>("table.sortable")];
  const original = tables.map((table) => [...(table.tBodies[0]?.rows ?? [])]);
  let current = "";
  const sort = (table: number, column: number, direction: Direction) => {
    reset(tables, original);
    order(tables[table], original[table] ?? [], column, direction);
    current = `${table}.${column}.${direction}`;
  };
  tables.forEach((table, t) => {
    headings(table).forEach((heading, column) => {
      if (heading.dataset.unsorted !== undefined) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const first = heading.classList.contains("number") ? "descending" : "ascending";
        const other = first === "descending" ? "ascending" : "descending";
        sort(t, column, heading.getAttribute("aria-sort") === first ? other : first);
        changed();
      });
    });
  });
  return {
    value: () => current,
    apply: (value) => {
      const [, table, column, direction] = /^(\d{1,6})\.(\d{1,6})\.(ascending|descending)$/.exec(value) ?? [];
      if (direction === "ascending" || direction === "descending") sort(Number(table), Number(column), direction);
      else if (current !== "") {
        reset(tables, original);
        current = "";
      }
    },
  };
}

function headings(table: HTMLTableElement): HTMLTableCellElement[] {
  return [...(table.tHead?.rows[0]?.cells ?? [])];
}

/** One table is sorted at a time: its state has to fit the address. */
function reset(tables: readonly HTMLTableElement[], original: readonly (readonly HTMLTableRowElement[])[]): void {
  tables.forEach((table, t) => {
    if (headings(table).every((heading) => !heading.hasAttribute("aria-sort"))) return;
    for (const heading of headings(table)) heading.removeAttribute("aria-sort");
    table.tBodies[0]?.append(...(original[t] ?? []));
  });
}

function order(
  table: HTMLTableElement | undefined,
  rows: readonly HTMLTableRowElement[],
  column: number,
  direction: Direction,
): void {
  const heading = table && headings(table)[column];
  if (!heading) return;
  const sign = direction === "ascending" ? 1 : -1;
  const isNumber = heading.classList.contains("number");
  const keyed = rows.map((row) => {
    const cell = row.cells[column];
    const text = cell?.textContent?.trim() ?? "";
    return { row, text, value: sortValue(cell, text, isNumber) };
  });
  keyed.sort((a, b) => {
    const [kindA, kindB] = [kindOf(a), kindOf(b)];
    if (kindA !== kindB) return kindA - kindB;
    return sign * (kindA === VALUE ? a.value - b.value : a.text.localeCompare(b.text, "en", { numeric: true }));
  });
  table?.tBodies[0]?.append(...keyed.map(({ row }) => row));
  heading.setAttribute("aria-sort", direction);
}

interface Key {
  readonly text: string;
  /** NaN where the cell has none. */
  readonly value: number;
}

/** A time in milliseconds, or the figure of a column of numbers. */
function sortValue(cell: HTMLTableCellElement | undefined, text: string, isNumber: boolean): number {
  const time = cell?.querySelector("time");
  if (time) return Date.parse(time.dateTime);
  // The page writes U+2212 before negative figures.
  return isNumber ? Number.parseFloat(text.replace(/^≥\s*/, "").replace("\u2212", "-")) : Number.NaN;
}

/** What has no figure comes last in both directions. */
const [VALUE, TEXT, MISSING] = [0, 1, 2] as const;

function kindOf({ text, value }: Key): number {
  if (!Number.isNaN(value)) return VALUE;
  return text === "N/A" || text === "" ? MISSING : TEXT;
}

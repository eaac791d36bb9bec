/** Names in files that were written before the first release, and what they are called now. */
const COMPARISON = { asked: "selectedMetrics", apart: "notCompared" } as const;
const ROW = { standsOn: "basis" } as const;
const FILE = { witnesses: "furtherMetrics" } as const;

/** Renames in place, before anything is checked. @param value any JSON */
export function withCurrentNames(value: unknown): unknown {
  rename(value, FILE);
  const comparison = fieldOf(value, "comparison");
  rename(comparison, COMPARISON);
  for (const name of ["rows", "controls"]) {
    const rows = fieldOf(comparison, name);
    if (Array.isArray(rows)) for (const row of rows) rename(row, ROW);
  }
  return value;
}

function rename(value: unknown, names: Readonly<Record<string, string>>): void {
  if (!isRecord(value)) return;
  for (const [earlier, current] of Object.entries(names)) {
    if (!Object.hasOwn(value, earlier) || Object.hasOwn(value, current)) continue;
    value[current] = value[earlier];
    delete value[earlier];
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

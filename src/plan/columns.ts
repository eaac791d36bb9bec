/** Columns that only some rows can fill: a set in which no row can is refused, because the whole column would be empty. */
import { InputError } from "../errors.js";
import type { MetricColumn } from "../results/metric-columns.js";
import type { SetFile } from "./schema.js";
import type { Source } from "./source.js";
import type { PlannedRow } from "./types.js";

interface Need {
  readonly fills: (row: PlannedRow) => boolean;
  readonly remedy: string;
}

const STARTS: Need = {
  fills: ({ startup }) => startup === true,
  remedy: "write `startup: true` in a row or in the set's defaults",
};
const MESSAGES: Need = {
  fills: ({ generator }) => generator === "websocket",
  remedy: "write `generator: websocket` in a row or in the set's defaults",
};
const OHA: Need = {
  fills: ({ generator }) => generator === "oha",
  remedy: "only the load generator oha measures it",
};

const NEEDS: Partial<Record<MetricColumn, Need>> = {
  "p99.9": OHA,
  "first-byte": OHA,
  startup: STARTS,
  "startup-memory": STARTS,
  "idle-memory": {
    fills: ({ idleConnections }) => idleConnections !== undefined,
    remedy: "write `idle-connections` in a row or in the set's defaults",
  },
  "ws-send": MESSAGES,
  "ws-receive": MESSAGES,
  "ws-combined": MESSAGES,
};

/** Of the tables and of the charts. @throws InputError that names the field, the column, and what would fill it */
export function checkColumns({ value, at }: Source<SetFile>, rows: readonly PlannedRow[]): void {
  for (const field of ["columns", "charts"] as const) {
    for (const [index, column] of value[field].entries()) {
      const need = NEEDS[column];
      if (need === undefined || rows.some(need.fills)) continue;
      throw new InputError(`${at([field, index])}: no row of the set can fill the column "${column}": ${need.remedy}`);
    }
  }
}

/**
 * The most that a results file may hold. A run of every set has some 500 cases in 20 sets; the limits leave room for
 * scenario folders many times as large, and keep a hostile file from stopping the report that is made of it.
 */

/** Of the whole file. A run of every set stays under 2 MiB; a thousand rows measured in pairs have 31 MiB. */
export const FILE_BYTES_MAX = 36 * 1024 * 1024;
/** A thousand rows in pairs have 1.7 million. An empty object has 2 bytes in a file, and 60 in memory. */
export const VALUES_MAX = 2_000_000;

export const SETS_MAX = 200;
/** Of a file and of a plan. */
export const CASES_MAX = 5_000;
/** Rows in each list of a comparison. */
export const ROWS_MAX = 5_000;

/** Bars of all charts: head's cases, once for each chart of their set. */
export const BARS_MAX = 10_000;

/** Columns of a table, and knobs of a row. */
export const COLUMNS_MAX = 50;
export const KNOBS_MAX = 100;
export const METRICS_MAX = 50;

/** A row is measured with at most 192 pairs (twice 96, void ones included) of 18 slices and 4 at a fixed rate. */
export const PAIRS_PER_ROW_MAX = 200;
export const SLICES_PER_PAIR_MAX = 100;
/** A case of a row that was measured in pairs has the slices of all of them. */
export const SLICES_PER_CASE_MAX = 5_000;

export const NOTES_PER_ROW_MAX = 100;
/** Of the whole run: a merged file has those of all its shards. */
export const NOTES_MAX = 5_000;
export const FAILURE_KINDS_MAX = 1_000;
export const PACKAGES_MAX = 5_000;
/** Requests of a row. */
export const REQUESTS_PER_ROW_MAX = 100;
/** Words of a command: a report of many shards names each of their files. */
export const WORDS_MAX = 10_000;
/** Files that a merged file or a base is made of. */
export const FILES_MAX = 5_000;

/** Characters of a set's name: it becomes part of the names of files and folders, which may have 255 bytes. */
export const SET_NAME_CHARACTERS = 64;
/** Of a row's id: its set's name and its slug. */
export const ID_CHARACTERS = 500;
/** Of a title, a heading, a group of rows or a label; a table shows 100 of them. */
export const TITLE_CHARACTERS = 200;
/** Of a fact in one line: a version, a commit, a branch, the name of a CPU. */
export const LINE_CHARACTERS = 500;
/** Of a name in a record: a knob, a metric, a load generator. */
export const NAME_CHARACTERS = 200;
/** Of a kind of failure, which may be the load generator's own message. */
export const FAILURE_KIND_CHARACTERS = 2_000;
/** Of all other texts: reasons, notes, logs. */
export const TEXT_CHARACTERS = 20_000;

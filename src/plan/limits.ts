/**
 * The most that scenario files may hold. The largest set has some 60 rows; the limits leave room for much larger ones, and
 * stop a file that would fill the memory or plan a run of weeks.
 */

export const FILE_CHARACTERS = 512 * 1024;
/** Mappings and lists inside each other; a set has six. */
export const NESTING_MAX = 32;
/** Values that aliases stand for, all together. */
export const ALIASED_VALUES_MAX = 20_000;
/** Rows of a set, with every combination of their matrices under every Python. */
export const ROWS_PER_SET_MAX = 1_000;

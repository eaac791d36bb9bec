/** For tests whose gate judges real pairs of the same code: now and then a verdict is false. The evaluation measures how often. */
export const FALSE_VERDICT = { count: 1, condition: /\(fail-on: worse\)/ };

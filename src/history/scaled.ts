/**
 * Figures as text: half a million of them have to fit a page. Each is a whole number of steps on a logarithmic scale, written as the
 * difference to the one before it, in one to four printable characters that mean nothing to HTML or JSON.
 */

/** Relative step between two figures; a figure is wrong by at most half a step. */
export const STEP = 0.0005;

const DIGITS = [...Array(95).keys()].map((i) => String.fromCharCode(32 + i)).filter((one) => !'"\\<>&'.includes(one));
const BASE = DIGITS.length;
const VALUE_OF: ReadonlyMap<string, number> = new Map(DIGITS.map((digit, i) => [digit, i]));

/** First characters: a small difference, the beginning of a larger one or of a very large one, and missing figures. */
const SMALL = 45;
const MEDIUM = 41;
const LARGE = SMALL + MEDIUM;
const MISSING = LARGE + 1;
const MANY_MISSING = MISSING + 1;

const SMALL_REACH = (SMALL - 1) / 2;
const MEDIUM_REACH = (MEDIUM * BASE) / 2;
const LARGE_REACH = BASE ** 3 / 2;

/** @param values above 0; undefined where there is none */
export function encodeFigures(values: readonly (number | undefined)[]): string {
  let text = "";
  let before = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i];
    if (value === undefined) {
      let count = 1;
      while (count < BASE && i + count < values.length && values[i + count] === undefined) count += 1;
      text += count === 1 ? digit(MISSING) : digit(MANY_MISSING) + digit(count - 1);
      i += count - 1;
      continue;
    }
    const steps = Math.round(Math.log(value) / STEP);
    text += encodeDifference(steps - before);
    before = steps;
  }
  return text;
}

export function decodeFigures(text: string): (number | undefined)[] {
  const values: (number | undefined)[] = [];
  let at = 0;
  let steps = 0;
  const next = () => {
    at += 1;
    return VALUE_OF.get(text[at - 1] ?? "") ?? 0;
  };
  while (at < text.length) {
    const first = next();
    if (first === MISSING) values.push(undefined);
    else if (first === MANY_MISSING) for (let count = next() + 1; count > 0; count -= 1) values.push(undefined);
    else {
      if (first < SMALL) steps += first - SMALL_REACH;
      else if (first < LARGE) steps += (first - SMALL) * BASE + next() - MEDIUM_REACH;
      else steps += (next() * BASE + next()) * BASE + next() - LARGE_REACH;
      values.push(Math.exp(steps * STEP));
    }
  }
  return values;
}

function encodeDifference(difference: number): string {
  if (Math.abs(difference) <= SMALL_REACH) return digit(difference + SMALL_REACH);
  if (difference >= -MEDIUM_REACH && difference < MEDIUM_REACH) {
    const value = difference + MEDIUM_REACH;
    return digit(SMALL + Math.floor(value / BASE)) + digit(value % BASE);
  }
  const value = Math.min(BASE ** 3 - 1, Math.max(0, difference + LARGE_REACH));
  return (
    digit(LARGE) + digit(Math.floor(value / BASE ** 2)) + digit(Math.floor(value / BASE) % BASE) + digit(value % BASE)
  );
}

function digit(value: number): string {
  return DIGITS[value] ?? "";
}

/** `[value, count, value, count, ...]` */
export function encodeRepeats(values: readonly number[]): number[] {
  const pairs: number[] = [];
  for (const value of values) {
    if (pairs.length > 0 && pairs.at(-2) === value) pairs[pairs.length - 1] = (pairs.at(-1) ?? 0) + 1;
    else pairs.push(value, 1);
  }
  return pairs;
}

export function decodeRepeats(pairs: readonly number[]): number[] {
  const values: number[] = [];
  for (let i = 0; i < pairs.length; i += 2)
    for (let count = pairs[i + 1] ?? 0; count > 0; count -= 1) values.push(pairs[i] ?? 0);
  return values;
}

/** What is fuzzed: bytes from outside, and the code that reads them. */
import type * as fc from "fast-check";
import { InputError } from "../../src/errors.js";

export interface Target {
  /** Also the folder of its cases in the corpus. */
  readonly name: string;
  /** Weight: cases that take long are fewer. */
  readonly share: number;
  readonly inputs: fc.Arbitrary<Buffer>;
  /** @throws Violation, or an error that is none of the project's own */
  check(input: Buffer): void | Promise<void>;
}

/** The code under test answered, and the answer is wrong. */
export class Violation extends Error {
  override readonly name = "Violation";
}

type ErrorClass = abstract new (...args: never[]) => Error;

const MESSAGE_CHARACTERS = 3000;

/** What the work returns; undefined where it refused its input with an error of one of these classes. @throws any other error */
export function orTyped<T>(work: () => T, classes: readonly ErrorClass[] = [InputError]): T | undefined {
  try {
    return work();
  } catch (error) {
    refuseUntyped(error, classes);
    return undefined;
  }
}

export async function orTypedLater<T>(
  work: () => Promise<T>,
  classes: readonly ErrorClass[] = [InputError],
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    refuseUntyped(error, classes);
    return undefined;
  }
}

function refuseUntyped(error: unknown, classes: readonly ErrorClass[]): void {
  if (!classes.some((one) => error instanceof one)) throw error;
  const { message } = error as Error;
  if (message === "" || message.length > MESSAGE_CHARACTERS)
    throw new Violation(`an error with a message of ${message.length} characters`);
}

export function hold(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new Violation(rule);
}

/** @param problems each in words */
export function holdNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Violation(problems.join("; "));
}

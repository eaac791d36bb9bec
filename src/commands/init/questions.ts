/** Questions on a terminal. Without one, or with --yes, the proposal is taken. */
import { createInterface } from "node:readline";
import { InputError } from "../../errors.js";
import type { ProcessContext } from "../process-context.js";

export interface Questions extends Disposable {
  /** Whether somebody answers. */
  readonly asks: boolean;
  /**
   * @param signal ends the wait for an answer
   * @returns what was typed; the proposal for an empty line
   */
  ask(question: string, proposal: string, signal?: AbortSignal): Promise<string>;
  /** @returns the index of the choice */
  choose(question: string, choices: readonly string[]): Promise<number>;
}

export function openQuestions({ stdin, stdout }: ProcessContext, yes: boolean): Questions {
  if (yes || stdin?.isTTY !== true || stdout.isTTY !== true) return SILENT;
  // The terminal itself edits the line: Ctrl-C then reaches this process as a signal.
  const lines = createInterface({ input: stdin, terminal: false });
  const typed = lines[Symbol.asyncIterator]();
  const ask: Questions["ask"] = async (question, proposal, signal) => {
    stdout.write(`${question}${proposal === "" ? "" : ` [${proposal}]`} `);
    const line = await Promise.race([typed.next(), ...(signal ? [aborted(signal)] : [])]);
    if (line.done)
      throw new InputError("the input ended before all questions were answered; --yes takes what is proposed");
    return line.value.trim() || proposal;
  };
  return {
    asks: true,
    ask,
    choose: async (question, choices) => {
      const list = choices.map((choice, index) => `  ${index + 1}  ${choice}`).join("\n");
      for (;;) {
        const index = Number(await ask(`${question}\n${list}\nNumber`, "1")) - 1;
        if (Number.isInteger(index) && index >= 0 && index < choices.length) return index;
      }
    },
    [Symbol.dispose]: () => lines.close(),
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

const SILENT: Questions = {
  asks: false,
  ask: async (_, proposal) => proposal,
  choose: async () => 0,
  [Symbol.dispose]: () => {},
};

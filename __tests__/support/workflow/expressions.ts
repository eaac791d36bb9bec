/** Expressions of workflows (`${{ ... }}`), evaluated by GitHub's own library for them. */
import { type data, Evaluator, Lexer, Parser, data as values } from "@actions/expressions";

export type Contexts = Readonly<Record<string, unknown>>;

/** What `success()`, `failure()`, `cancelled()` and `always()` answer in a job's `if`. */
interface NeedsState {
  readonly failed: boolean;
  readonly cancelled: boolean;
}

const GOOD: NeedsState = { failed: false, cancelled: false };
const WHOLE = /^\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*$/s;

/** A text with expressions; one that is nothing but an expression keeps its type. */
export function evaluateText(text: string, contexts: Contexts): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return evaluate(whole, contexts, GOOD);
  return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_, inner: string) => String(evaluate(inner, contexts, GOOD) ?? ""));
}

/** A job's `if`: without a status function it also needs the success of what the job needs. */
export function isTrue(condition: string | undefined, contexts: Contexts, state: NeedsState): boolean {
  const good = !state.failed && !state.cancelled;
  if (condition === undefined) return good;
  const asksState = /\b(success|failure|cancelled|always)\(\)/.test(condition);
  return (asksState || good) && Boolean(evaluate(WHOLE.exec(condition)?.[1] ?? condition, contexts, state));
}

function evaluate(text: string, contexts: Contexts, { failed, cancelled }: NeedsState): unknown {
  const answers = { success: !failed && !cancelled, failure: failed && !cancelled, cancelled, always: true };
  const functions = Object.entries(answers).map(([name, answer]) => ({
    ...{ name, minArgs: 0, maxArgs: 0 },
    call: () => new values.BooleanData(answer),
  }));
  const { tokens } = new Lexer(text.trim()).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), functions).parse();
  const given = JSON.parse(JSON.stringify(contexts), values.reviver) as data.Dictionary;
  const found = new Evaluator(parsed, given, new Map(functions.map((one) => [one.name, one]))).evaluate();
  return JSON.parse(JSON.stringify(found, values.replacer)) as unknown;
}

/** Expressions of workflows (`${{ ... }}`), evaluated by GitHub's own library for them. */
import { type data, Evaluator, Lexer, Parser, data as values } from "@actions/expressions";
import type { FunctionDefinition } from "@actions/expressions/funcs/info";

export type Contexts = Readonly<Record<string, unknown>>;

/** What `success()`, `failure()`, `cancelled()` and `always()` answer in a job's `if`. */
export interface NeedsState {
  readonly failed: boolean;
  readonly cancelled: boolean;
}

const WHOLE = /^\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*$/s;

/** A text with expressions; one that is nothing but an expression keeps its type. */
export function evaluateText(text: string, contexts: Contexts, state?: NeedsState): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return evaluate(whole, contexts, state);
  return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_, inner: string) => String(evaluate(inner, contexts, state) ?? ""));
}

/** A job's `if`: without a status function it also needs the success of what the job needs. */
export function isTrue(condition: string | undefined, contexts: Contexts, state: NeedsState): boolean {
  const good = !state.failed && !state.cancelled;
  if (condition === undefined) return good;
  const asksState = /\b(success|failure|cancelled|always)\(\)/.test(condition);
  const inner = WHOLE.exec(condition)?.[1] ?? condition;
  return (asksState || good) && Boolean(evaluate(inner, contexts, state));
}

function evaluate(text: string, contexts: Contexts, state: NeedsState = { failed: false, cancelled: false }): unknown {
  const functions = statusFunctions(state);
  const { tokens } = new Lexer(text.trim()).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), functions).parse();
  const named = new Map(functions.map((one) => [one.name, one]));
  return plain(new Evaluator(parsed, dictionary(contexts), named).evaluate());
}

function statusFunctions({ failed, cancelled }: NeedsState): FunctionDefinition[] {
  const answer = (name: string, value: boolean): FunctionDefinition => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new values.BooleanData(value),
  });
  return [
    answer("success", !failed && !cancelled),
    answer("failure", failed && !cancelled),
    answer("cancelled", cancelled),
    answer("always", true),
  ];
}

function dictionary(value: Readonly<Record<string, unknown>>): data.Dictionary {
  return new values.Dictionary(...Object.entries(value).map(([key, one]) => ({ key, value: wrapped(one) })));
}

function wrapped(value: unknown): data.ExpressionData {
  if (typeof value === "string") return new values.StringData(value);
  if (typeof value === "number") return new values.NumberData(value);
  if (typeof value === "boolean") return new values.BooleanData(value);
  if (Array.isArray(value)) return new values.Array(...value.map(wrapped));
  return typeof value === "object" && value !== null ? dictionary({ ...value }) : new values.Null();
}

function plain(value: data.ExpressionData): unknown {
  return JSON.parse(JSON.stringify(value, values.replacer)) as unknown;
}

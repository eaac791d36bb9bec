/**
 * GitHub's own OpenAPI description (@octokit/openapi): the judge over requests and answers, and what the double's answers
 * are filled up from. It has 13 MB: it is read once, and only the schemas of operations that are asked for are compiled.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type SchemaObject, type ValidateFunction } from "ajv";

const NAME = "github";
/** The description says that these are always there; GitHub answers null when a fork was deleted. */
const NULL_WHEN_FORK_IS_GONE = ["head_repository", "repo", "user"];

const options = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  allErrors: true,
  logger: false,
} as const;
const ajv = new Ajv(options);
/** Parameters stand in addresses, where everything is text. */
const textAjv = new Ajv({ ...options, coerceTypes: true });

/** Any part of the description: plain JSON, as a schema is. */
type Part = SchemaObject;

let description: Part | undefined;

function root(): Part {
  if (description === undefined) {
    const file = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");
    description = JSON.parse(readFileSync(file, "utf8"), toJsonSchema) as Part;
    const { schemas } = description.components;
    for (const one of [ajv, textAjv]) one.addSchema({ components: { schemas } }, NAME);
  }
  return description;
}

/** OpenAPI 3.0 has `nullable` where JSON Schema has a union, and addresses within itself. */
function toJsonSchema(key: string, value: unknown): unknown {
  if (key === "$ref") return `${NAME}${value}`;
  if (typeof value !== "object" || value === null) return value;
  const part: Part = value;
  if (key === "properties") for (const name of NULL_WHEN_FORK_IS_GONE) if (part[name]) part[name] = orNull(part[name]);
  if (part.nullable !== true) return part;
  const { nullable: _, ...schema } = part;
  return orNull(schema);
}

function orNull(schema: Part): Part {
  return { anyOf: [{ type: "null" }, schema] };
}

function dereference(part: Part): Part {
  if (part.$ref === undefined) return part;
  const [, ...keys] = String(part.$ref).split("/");
  return dereference(keys.reduce((at, key) => at[key], root()));
}

function schemaOf(body: Part | undefined): Part | undefined {
  return body && dereference(body).content?.["application/json"]?.schema;
}

const BASIC_ERROR = { $ref: `${NAME}#/components/schemas/basic-error` };

const operations = new Map<string, ReturnType<typeof readOperation>>();

/** One operation: a method and a path template such as `/repos/{owner}/{repo}/pulls`. @throws Error when GitHub has none such */
export function operationOf(method: string, template: string) {
  const key = `${method} ${template}`;
  const operation = operations.get(key) ?? readOperation(method, template);
  operations.set(key, operation);
  return operation;
}

function readOperation(method: string, template: string) {
  const described: Part | undefined = root().paths[template]?.[method.toLowerCase()];
  if (described === undefined) throw new Error(`GitHub's description has no ${method} ${template}`);
  const { parameters = [], requestBody, responses } = described;
  const known: readonly Part[] = parameters.map(dereference);
  const inPath = parametersCheck(known.filter((parameter) => parameter.in === "path"));
  const inQuery = parametersCheck(known.filter((parameter) => parameter.in === "query"));
  const body = schemaOf(requestBody);
  // GitHub ignores what it does not know in a body; a misspelt field is a mistake all the same.
  const strict = body?.properties ? { ...body, additionalProperties: false } : body;
  // Errors that GitHub does not list for an operation have the common shape.
  const answerOf = (status: number) => (responses[status] ? schemaOf(responses[status]) : BASIC_ERROR);
  return {
    /** What is wrong with the request, in words; empty when nothing is. */
    checkRequest: (path: object, query: object, sent: unknown): string[] => [
      ...problems(inPath, { ...path }, "path"),
      ...problems(inQuery, { ...query }, "query"),
      ...(strict ? problems(ajv.compile(strict), sent ?? {}, "body") : []),
      ...(requestBody || sent === undefined ? [] : ["body: none is expected"]),
    ],
    checkAnswer: (status: number, sent: unknown): string[] => {
      if (status < 400 && !(status in responses)) return [`answer: ${status} is not among GitHub's`];
      const schema = answerOf(status);
      if (schema) return problems(ajv.compile(schema), sent, `answer ${status}`);
      return sent === undefined ? [] : [`answer ${status}: no body is expected`];
    },
    /** The answer with everything that has to be there. */
    fill: (status: number, given: unknown): unknown =>
      given === undefined ? given : filled(answerOf(status) ?? {}, given),
  };
}

function parametersCheck(known: readonly Part[]): ValidateFunction {
  const properties = Object.fromEntries(known.map(({ name, schema }) => [name, schema]));
  const required = known.filter((parameter) => parameter.required).map(({ name }) => name);
  return textAjv.compile({ type: "object", properties, required, additionalProperties: false });
}

const MAX_PROBLEMS = 3;

function problems(check: ValidateFunction, value: unknown, what: string): string[] {
  if (check(value)) return [];
  return (check.errors ?? []).slice(0, MAX_PROBLEMS).map(({ keyword, params, instancePath, message }) => {
    if (keyword !== "additionalProperties") return `${what}${instancePath}: ${message}`;
    return `${what}: ${params.additionalProperty} is not among GitHub's ${what === "query" ? "parameters" : "fields"}`;
  });
}

const PLAIN: Readonly<Record<string, unknown>> = { boolean: false, integer: 0, number: 0, string: "", array: [] };
const OF_FORMAT: Readonly<Record<string, string>> = { "date-time": "2020-01-01T00:00:00Z", uri: "https://github.com" };

/** The value with the fields that its schema requires: null where it may be, the first of a list, else something empty. */
function filled(given: Part, value: unknown): unknown {
  const { type, format, enum: allowed, properties = {}, required = [], ...schema } = dereference(given);
  const union: readonly Part[] | undefined = schema.anyOf ?? schema.oneOf;
  if (union) return filled(union.find((one) => fits(one, value)) ?? union[0] ?? {}, value);
  if (schema.allOf) return schema.allOf.reduce((all: unknown, part: Part) => filled(part, all), value);
  if (Array.isArray(value)) return value.map((item) => filled(schema.items ?? {}, item));
  const isMissing = value === undefined;
  if (isMissing && type !== "object") return allowed?.[0] ?? OF_FORMAT[format] ?? PLAIN[type] ?? null;
  if (!isMissing && (typeof value !== "object" || value === null)) return value;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const names = new Set<string>([...required, ...Object.keys(fields)]);
  return Object.fromEntries([...names].map((name) => [name, filled(properties[name] ?? {}, fields[name])]));
}

function fits(schema: Part, value: unknown): boolean {
  const { type } = dereference(schema);
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  if (typeof value === "number") return type === "number" || type === "integer";
  return type === typeof value || (type === undefined && value !== undefined);
}

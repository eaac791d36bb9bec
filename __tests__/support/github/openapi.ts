/**
 * GitHub's own OpenAPI description (@octokit/openapi) as a judge over requests and answers. The description has 13 MB:
 * it is read once, and only the schemas of the operations that are asked for are compiled.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Json;
}

/** One operation: a method and a path template such as `/repos/{owner}/{repo}/pulls`. */
export interface Operation {
  /** What is wrong with the request, in words; empty when nothing is. */
  checkRequest(request: {
    readonly parameters: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
    readonly body: unknown;
  }): string[];
  checkAnswer(status: number, body: unknown): string[];
}

const operations = new Map<string, Operation>();
let description: Json | undefined;

/** @throws Error when GitHub has no such operation */
export function operationOf(method: string, template: string): Operation {
  const key = `${method} ${template}`;
  const known = operations.get(key);
  if (known !== undefined) return known;
  const operation = readOperation(method, template);
  operations.set(key, operation);
  return operation;
}

const ajv = new Ajv({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  coerceTypes: false,
  logger: false,
});
/** Parameters stand in addresses, where everything is text. */
const textAjv = new Ajv({ strict: false, validateFormats: false, validateSchema: false, coerceTypes: true });

function readOperation(method: string, template: string): Operation {
  const path = resolve(at(root(), "paths"), template);
  const found = path?.[method.toLowerCase()];
  if (path === undefined || !isObject(found)) throw new Error(`GitHub's description has no ${method} ${template}`);
  const body = isObject(found.requestBody) ? jsonSchemaOf(dereference(found.requestBody)) : undefined;
  // A body that is no JSON.
  const isFile = isObject(found.requestBody) && body === undefined;
  const parameters = [...list(path.parameters), ...list(found.parameters)].map(readParameter);
  const responses = at(found, "responses");
  const answers = new Map<number, ValidateFunction | undefined>();
  const answerCheck = (status: number) => {
    if (!answers.has(status)) answers.set(status, compiled(answerSchema(responses, status)));
    return answers.get(status);
  };
  const checkBody = compiled(body);
  return {
    checkRequest: ({ parameters: inPath, query, body: sent }) => [
      ...checkParameters(parameters, "path", inPath),
      ...checkParameters(parameters, "query", query),
      ...(checkBody
        ? problems(checkBody, sent ?? {}, "body")
        : sent === undefined || isFile
          ? []
          : ["body: none is expected"]),
      ...(body ? unknownFields(body, sent) : []),
    ],
    checkAnswer: (status, sent) => {
      if (status < 400 && !(String(status) in responses)) return [`answer: ${status} is not among GitHub's`];
      const check = answerCheck(status);
      if (check !== undefined) return problems(check, sent, `answer ${status}`);
      return sent === undefined ? [] : [`answer ${status}: no body is expected`];
    },
  };
}

function checkParameters(
  known: readonly Parameter[],
  place: "path" | "query",
  given: Readonly<Record<string, string>>,
): string[] {
  const expected = known.filter((parameter) => parameter.in === place);
  const missing = expected.filter(({ name, required }) => required && !(name in given));
  const unknown = Object.keys(given).filter((name) => !expected.some((parameter) => parameter.name === name));
  const wrong = expected.flatMap(({ name, schema }) => {
    if (!(name in given)) return [];
    const holder = { [name]: given[name] };
    return problems(parameterCheck(name, schema), holder, place);
  });
  return [
    ...missing.map(({ name }) => `${place}: ${name} is missing`),
    ...unknown.map((name) => `${place}: ${name} is not among GitHub's parameters`),
    ...wrong,
  ];
}

const parameterChecks = new WeakMap<Json, ValidateFunction>();

function parameterCheck(name: string, schema: Json): ValidateFunction {
  const known = parameterChecks.get(schema);
  if (known !== undefined) return known;
  const check = textAjv.compile({ type: "object", properties: { [name]: translate(schema) } });
  parameterChecks.set(schema, check);
  return check;
}

function readParameter(raw: unknown): Parameter {
  const { name, in: place, required, schema } = dereference(raw);
  return {
    name: String(name),
    in: place as Parameter["in"],
    required: required === true,
    schema: isObject(schema) ? schema : {},
  };
}

/** GitHub ignores what it does not know in a body; a misspelt field is a mistake all the same. */
function unknownFields(schema: Json, body: unknown): string[] {
  const { properties } = isObject(schema.$ref) ? {} : dereference(schema);
  if (!isObject(properties) || !isObject(body)) return [];
  return Object.keys(body)
    .filter((name) => !(name in properties))
    .map((name) => `body: ${name} is not among GitHub's fields`);
}

const MAX_PROBLEMS = 3;

function problems(check: ValidateFunction, value: unknown, what: string): string[] {
  if (check(value)) return [];
  return (check.errors ?? [])
    .slice(0, MAX_PROBLEMS)
    .map((error) => `${what}${error.instancePath}: ${error.message ?? error.keyword}`);
}

const BASIC_ERROR: Json = { $ref: "#/components/schemas/basic-error" };

/** Undefined when no body is to be there. Errors that GitHub does not list for an operation have the common shape. */
function answerSchema(responses: Json, status: number): Json | undefined {
  const response = resolve(responses, String(status));
  return response === undefined ? BASIC_ERROR : jsonSchemaOf(response);
}

function compiled(schema: Json | undefined): ValidateFunction | undefined {
  return schema && ajv.compile(translate(schema));
}

/** Schemas that were given to ajv under their own names. */
const registered = new Set<string>();

const NESTED = new Set(["items", "additionalProperties", "not"]);
const UNIONS = new Set(["allOf", "anyOf", "oneOf"]);
const ASSERTIONS = new Set(["type", "enum", "required", "pattern", "minLength", "maxLength", "minItems", "maxItems"]);

/** OpenAPI 3.0 -> JSON Schema: `nullable` becomes a union, a reference one to a schema that ajv knows by name. */
function translate(schema: Json): Json {
  if (typeof schema.$ref === "string") return { $ref: register(schema.$ref) };
  const inner = Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      const translated = translateKeyword(keyword, value);
      return translated === undefined ? [] : [[keyword, translated]];
    }),
  );
  return schema.nullable === true ? { anyOf: [{ type: "null" }, inner] } : inner;
}

/** The description says that these are always there; GitHub answers null when a fork was deleted. */
const NULL_WHEN_FORK_IS_GONE = new Set(["head_repository", "repo", "user"]);

function translateKeyword(keyword: string, value: unknown): unknown {
  if (keyword === "properties" && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, translateProperty(name, item)]));
  }
  if (NESTED.has(keyword)) return isObject(value) ? translate(value) : value;
  if (UNIONS.has(keyword)) return list(value).map((item) => (isObject(item) ? translate(item) : {}));
  return ASSERTIONS.has(keyword) ? value : undefined;
}

function translateProperty(name: string, schema: unknown): Json {
  const translated = isObject(schema) ? translate(schema) : {};
  return NULL_WHEN_FORK_IS_GONE.has(name) ? { anyOf: [{ type: "null" }, translated] } : translated;
}

function register(reference: string): string {
  const name = reference.replace("#/components/schemas/", "");
  if (!registered.has(name)) {
    registered.add(name);
    const schema = translate(dereference({ $ref: reference }));
    ajv.addSchema(schema, name);
    textAjv.addSchema(schema, name);
  }
  return name;
}

function jsonSchemaOf(holder: Json): Json | undefined {
  const { content } = dereference(holder);
  const json = isObject(content) ? content["application/json"] : undefined;
  return isObject(json) && isObject(json.schema) ? json.schema : undefined;
}

function root(): Json {
  if (description === undefined) {
    const file = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");
    const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(parsed)) throw new Error(`${file} holds no description`);
    description = parsed;
  }
  return description;
}

function dereference(value: unknown): Json {
  if (!isObject(value)) throw new Error(`expected an object in GitHub's description, got ${String(value)}`);
  if (typeof value.$ref !== "string") return value;
  const keys = value.$ref.replace("#/", "").split("/");
  return dereference(keys.reduce<Json>(at, root()));
}

function resolve(holder: Json, key: string): Json | undefined {
  return isObject(holder[key]) ? dereference(holder[key]) : undefined;
}

function at(holder: Json, key: string): Json {
  const value = holder[key];
  if (!isObject(value)) throw new Error(`GitHub's description has no ${key}`);
  return value;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

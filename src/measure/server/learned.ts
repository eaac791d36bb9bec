/**
 * What a side answered first is expected of it afterwards, where the scenario file does not give it: status, media type and
 * size. Every pair starts the servers afresh, and adds what its servers answer first.
 */
import { createHash } from "node:crypto";
import type { PlannedRequest } from "../../plan/types.js";
import { mediaType, type SizeRange } from "./expected.js";
import type { Answer } from "./probe.js";

/** Sizes that vary over some answers will vary more over thousands: a counter gets another digit. */
const MARGIN_SHARE = 0.1;
const MARGIN_BYTES = 64;

export interface Learned {
  readonly status: number;
  /** Undefined: the answers had none, or different ones. */
  readonly type: string | undefined;
  /** Undefined: sizes left every range, and are not checked. */
  readonly size: SizeRange | undefined;
  /** An answer without a body was right. */
  readonly mayBeEmpty: boolean;
  /** Start of the body's SHA-256; undefined: the bodies differed. */
  readonly digest: string | undefined;
}

/** Whether something about the right answer comes from the first answers. */
export function isLearned({ expect }: PlannedRequest): boolean {
  return expect.status === "learned" || ["learned", "json", "regex"].includes(expect.body.kind);
}

/** Of one side of a row. */
export class LearnedAnswers {
  readonly #seen = new Map<string, Learned>();
  #sizesIgnored = false;

  add(request: PlannedRequest, { status, type, body }: Answer): void {
    const size = { least: body.length, most: body.length };
    const digest = createHash("sha256").update(body).digest("hex").slice(0, 16);
    const added = {
      status,
      type: type === undefined ? undefined : mediaType(type),
      size,
      mayBeEmpty: body.length === 0,
      digest,
    };
    const known = this.#seen.get(request.name);
    this.#seen.set(request.name, known ? merged(known, added) : added);
  }

  /** An answer after the warm-up. An empty one counts for nothing where none of the first was empty: an error often has no body. */
  addLater(request: PlannedRequest, answer: Answer): void {
    const isStrange = answer.body.length === 0 && this.#seen.get(request.name)?.mayBeEmpty === false;
    if (!isStrange) this.add(request, answer);
  }

  /** What is expected from now on; undefined before the first answer. */
  of(request: PlannedRequest): Learned | undefined {
    const seen = this.#seen.get(request.name);
    if (seen === undefined) return undefined;
    const { size, digest } = seen;
    if (size === undefined || digest !== undefined) return seen;
    return { ...seen, size: this.#sizesIgnored ? undefined : withMargin(size) };
  }

  /**
   * Called when answers of the warm-up left the range of a body that varies: then nothing is known about its size.
   * @returns whether a size is no longer checked
   */
  ignoreVaryingSizes(): boolean {
    const varies = [...this.#seen.values()].some(({ digest }) => digest === undefined);
    const news = varies && !this.#sizesIgnored;
    this.#sizesIgnored ||= varies;
    return news;
  }
}

function merged(known: Learned, added: Learned & { readonly size: SizeRange }): Learned {
  return {
    status: known.status,
    type: known.type === added.type ? known.type : undefined,
    size: known.size && {
      least: Math.min(known.size.least, added.size.least),
      most: Math.max(known.size.most, added.size.most),
    },
    mayBeEmpty: known.mayBeEmpty || added.mayBeEmpty,
    digest: known.digest === added.digest ? known.digest : undefined,
  };
}

function withMargin({ least, most }: SizeRange): SizeRange {
  const margin = Math.max(MARGIN_BYTES, Math.ceil(MARGIN_SHARE * most));
  return { least: Math.max(Math.min(1, least), least - margin), most: most + margin };
}

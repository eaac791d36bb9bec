/** Aliases and nesting of a YAML file: a few characters can stand for more values than fit into memory. */
import { type Document, isAlias, isCollection, isPair, isScalar, type Node } from "yaml";
import { ALIASED_VALUES_MAX, NESTING_MAX } from "./limits.js";
import type { Key } from "./source.js";

interface LimitProblem {
  readonly path: readonly Key[];
  readonly problem: string;
}

/** The first place where a file exceeds a limit. Every node is visited once, however many values its aliases stand for. */
export function limitProblem(document: Document): LimitProblem | undefined {
  const counter = new ValueCounter();
  counter.count(document.contents);
  return counter.problem;
}

class ValueCounter {
  problem: LimitProblem | undefined;
  readonly #anchors = new Map<string, Node>();
  readonly #sizes = new Map<Node, number>();
  readonly #path: Key[] = [];
  #aliased = 0;

  /** @returns number of values that the node stands for, and 0 after a problem */
  count(node: unknown): number {
    if (this.problem) return 0;
    if (this.#path.length > NESTING_MAX) return this.#refuse(`is nested deeper than ${NESTING_MAX} levels`);
    if (isAlias(node)) return this.#countAlias(node.source);
    if (!isScalar(node) && !isCollection(node)) return 1;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    const size = isCollection(node) ? this.#countItems(node.items) : 1;
    this.#sizes.set(node, size);
    return size;
  }

  #countItems(items: readonly unknown[]): number {
    let size = 1;
    for (const [index, item] of items.entries()) {
      this.#path.push(isPair(item) ? keyOf(item.key, index) : index);
      size += isPair(item) ? this.count(item.key) + this.count(item.value) : this.count(item);
      if (this.problem) return 0;
      this.#path.pop();
    }
    return size;
  }

  #countAlias(name: string): number {
    const target = this.#anchors.get(name);
    if (!target) return this.#refuse(`the alias *${name} has no anchor &${name} before it`);
    // The size of a value is known when all of it was visited.
    const size = this.#sizes.get(target);
    if (size === undefined) return this.#refuse(`the alias *${name} stands for a value that contains the alias itself`);
    this.#aliased += size;
    if (this.#aliased > ALIASED_VALUES_MAX)
      return this.#refuse(`the aliases up to here stand for more than ${ALIASED_VALUES_MAX} values`);
    return size;
  }

  #refuse(problem: string): number {
    this.problem = { path: [...this.#path], problem };
    return 0;
  }
}

function keyOf(key: unknown, index: number): Key {
  return isScalar(key) ? String(key.value) : index;
}

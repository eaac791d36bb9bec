/** Whether two results, or two cases of them, were measured in the same way. If not: every field that differs. */
import { isDeepStrictEqual } from "node:util";
import { isFromPairs } from "../results/from-pairs.js";
import type { CaseResult, Environment, Results } from "../results/schema.js";

/** Options that a run chooses by the speed of the server; the load is the same (oha waits for the last answers). */
const OWN_CHOICES = new Set(["-w"]);

/**
 * The reasons why two files cannot be compared, each as `field: value in base, value in head`; empty where they can be.
 * With another machine, kernel, governor, Python, load generator, CPU split or profile it is another measurement.
 */
export function fileDifferences(base: Results, head: Results): string[] {
  return [
    ...differences(environmentFacts(base.environment), environmentFacts(head.environment)),
    ...generatorDifferences(base.environment, head.environment),
    ...differences({ profile: base.run.profile }, { profile: head.run.profile }),
  ];
}

type Facts = Readonly<Record<string, unknown>>;

export function environmentFacts(environment: Environment): Facts {
  return {
    "CPU model": environment.cpuModel,
    CPUs: environment.cpus,
    kernel: environment.kernel,
    governor: environment.governor,
    Python: environment.python,
    "server CPUs": environment.serverCpus,
    "load generator CPUs": environment.clientCpus,
  };
}

/** Load generators of both runs: one that a single run used has no rows in the other. */
function generatorDifferences(base: Environment, head: Environment): string[] {
  const shared = Object.keys(base.loadGenerators).filter((name) => name in head.loadGenerators);
  const of = ({ loadGenerators }: Environment) =>
    Object.fromEntries(shared.map((name) => [name, loadGenerators[name]]));
  return differences(of(base), of(head));
}

/**
 * The same for one row at one concurrency. With other knobs, another Python or another load it is another row. Server
 * versions and packages may differ: they are compared.
 */
export function caseDifferences(base: CaseResult, head: CaseResult): string[] {
  return [
    ...differences(caseFacts(base), caseFacts(head)),
    ...knownDifferences({ Python: base.server.python }, { Python: head.server.python }),
    ...differences(base.knobs, head.knobs, (name) => `knob ${name}`),
    ...loadDifferences(base, head),
  ];
}

function loadDifferences(base: CaseResult, head: CaseResult): string[] {
  const [before, after] = [loadOf(base), loadOf(head)];
  if (before === undefined || after === undefined) return [];
  const [baseWords, headWords] = differingWords(before, after);
  return differences({ load: baseWords }, { load: headWords });
}

/** Of two commands the words that differ, each with its option: equal ones would hide them. All words where their number differs. */
export function differingWords(before: readonly string[], after: readonly string[]): readonly [string, string] {
  const differ = (word: string, i: number) =>
    before[i] !== after[i] || (word.startsWith("-") && before[i + 1] !== after[i + 1]);
  const clip = (words: readonly string[]) => (before.length === after.length ? words.filter(differ) : words).join(" ");
  return [clip(before), clip(after)];
}

function caseFacts({ server, connections }: CaseResult): Facts {
  return { server: server.name, interface: server.interface, connections };
}

/**
 * The generator's arguments without ports, paths, and what a run chose by the speed of the server (the length of a slice in pairs, the rate
 * of a share of its maximum): they differ in every run. Undefined where no load was started.
 */
export function loadOf(result: CaseResult): string[] | undefined {
  const { rateShare } = result;
  const ofPairs = result.state === "completed" && isFromPairs(result);
  return result.generatorCommand
    ?.map(ofPairs ? valueAs("-z", "{slice}") : (word) => word)
    .map(rateShare === undefined ? (word) => word : valueAs("-q", shareText(rateShare)))
    ?.slice(1)
    .filter((word) => !OWN_CHOICES.has(word))
    .map((word) => word.replace(/(127\.0\.0\.1|localhost|\[::1\]):\d+/, "$1:{port}"))
    .map((word) => (word.startsWith("/") ? (word.split("/").at(-1) ?? word) : word));
}

/** The value of this option of oha is written as this text. */
function valueAs(option: string, text: string) {
  return (word: string, i: number, command: readonly string[]) => (command[i - 1] === option ? text : word);
}

/** `50%`, as scenario files have it. */
export function shareText(share: number): string {
  return `${Number((share * 100).toPrecision(3))}%`;
}

function differences(base: Facts, head: Facts, title: (name: string) => string = (name) => name): string[] {
  const names = [...new Set([...Object.keys(base), ...Object.keys(head)])];
  return names
    .filter((name) => !isDeepStrictEqual(base[name], head[name]))
    .map((name) => `${title(name)}: ${shown(base[name])} in base, ${shown(head[name])} in head`);
}

/** Only where both are known: a case may have failed before it was recorded. */
function knownDifferences(base: Facts, head: Facts): string[] {
  const known = Object.keys(base).filter((name) => base[name] !== undefined && head[name] !== undefined);
  const of = (facts: Facts) => Object.fromEntries(known.map((name) => [name, facts[name]]));
  return differences(of(base), of(head));
}

function shown(value: unknown): string {
  return value === undefined ? "unknown" : String(value);
}

/**
 * Versions of releases and their order: PEP 440 (https://packaging.python.org/specifications/version-specifiers/), and
 * semver (https://semver.org) where a pre-release has a form that PEP 440 does not know.
 */

export interface Version {
  readonly epoch: number;
  readonly release: readonly number[];
  /** Compared in this order; a part that is absent has a fixed place. */
  readonly stage: Stage;
  readonly local: readonly (string | number)[];
}

type Stage =
  | {
      readonly kind: "pep440";
      /** alpha, beta, release candidate; undefined: none */
      readonly pre: { readonly name: string; readonly number: number } | undefined;
      readonly post: number | undefined;
      readonly dev: number | undefined;
    }
  /** Identifiers of a pre-release that only semver knows: `1.0.0-next.3`. */
  | { readonly kind: "semver"; readonly identifiers: readonly (string | number)[] };

/** PEP 440's spellings; their names sort as semver sorts identifiers. */
const PRE_NAMES: Readonly<Record<string, string>> = {
  a: "alpha",
  b: "beta",
  c: "rc",
  pre: "rc",
  preview: "rc",
};
/** Git refuses longer names of references; a number of a version needs no more digits. */
const MAX_LENGTH = 255;
const DIGITS = "\\d{1,15}";

/** The pattern of PEP 440's appendix B, in lower case. */
const PEP440 = new RegExp(
  `^(?:(?<epoch>${DIGITS})!)?(?<release>${DIGITS}(?:\\.${DIGITS})*)` +
    `(?:[-_.]?(?<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<preNumber>${DIGITS})?)?` +
    `(?:-(?<postShort>${DIGITS})|[-_.]?(?<post>post|rev|r)[-_.]?(?<postNumber>${DIGITS})?)?` +
    `(?:[-_.]?(?<dev>dev)[-_.]?(?<devNumber>${DIGITS})?)?` +
    "(?:\\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$",
);
const SEMVER = new RegExp(
  `^(?<release>${DIGITS}\\.${DIGITS}\\.${DIGITS})-(?<identifiers>[0-9a-z-]+(?:\\.[0-9a-z-]+)*)(?:\\+(?<build>[0-9a-z.-]+))?$`,
);

/** Undefined where the text is no version. A leading `v` is allowed. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const plain = text.toLowerCase().replace(/^v/, "");
  return pep440Of(plain) ?? semverOf(plain);
}

function pep440Of(text: string): Version | undefined {
  const groups = PEP440.exec(text)?.groups;
  if (!groups) return undefined;
  const { pre, postShort, post, dev, local = "" } = groups;
  return {
    epoch: Number(groups.epoch ?? 0),
    release: (groups.release ?? "").split(".").map(Number),
    stage: {
      kind: "pep440",
      pre: pre === undefined ? undefined : { name: PRE_NAMES[pre] ?? pre, number: Number(groups.preNumber ?? 0) },
      post: post === undefined && postShort === undefined ? undefined : Number(postShort ?? groups.postNumber ?? 0),
      dev: dev === undefined ? undefined : Number(groups.devNumber ?? 0),
    },
    local: local === "" ? [] : local.split(/[-_.]/).map(identifier),
  };
}

function semverOf(text: string): Version | undefined {
  const groups = SEMVER.exec(text)?.groups;
  if (!groups) return undefined;
  return {
    epoch: 0,
    release: (groups.release ?? "").split(".").map(Number),
    stage: { kind: "semver", identifiers: (groups.identifiers ?? "").split(".").map(identifier) },
    local: [],
  };
}

function identifier(text: string): string | number {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Below zero where `a` is the earlier version; zero where they are the same one. */
export function compareVersions(a: Version, b: Version): number {
  return (
    a.epoch - b.epoch ||
    compareReleases(a.release, b.release) ||
    compareStages(a.stage, b.stage) ||
    compareIdentifiers(a.local, b.local)
  );
}

/** 1.2 and 1.2.0 are the same. */
function compareReleases(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareStages(a: Stage, b: Stage): number {
  const difference = compareKeys(stageKey(a), stageKey(b));
  if (difference !== 0) return difference;
  if (a.kind === "semver" && b.kind === "semver") return compareIdentifiers(a.identifiers, b.identifiers, true);
  // `alpha.1.2` comes after `alpha.1`.
  return Number(a.kind === "semver") - Number(b.kind === "semver");
}

/** Development releases come first, then pre-releases (numbers before names, as in semver), then the final release. */
const PLACES = { development: 0, numbered: 1, named: 2, final: 3 } as const;

type Key = readonly [place: number, name: string, number: number, post: number, dev: number];

function stageKey(stage: Stage): Key {
  if (stage.kind === "semver") return semverKey(stage.identifiers);
  const { pre, post = -1, dev = Number.POSITIVE_INFINITY } = stage;
  if (pre) return [PLACES.named, pre.name, pre.number, post, dev];
  const onlyDev = stage.post === undefined && stage.dev !== undefined;
  return [onlyDev ? PLACES.development : PLACES.final, "", 0, post, dev];
}

function semverKey([first = 0, second]: readonly (string | number)[]): Key {
  const end = [-1, Number.POSITIVE_INFINITY] as const;
  if (typeof first === "number") return [PLACES.numbered, "", first, ...end];
  // Without a number it is the first of its name; with another name it comes after all numbers.
  const number = typeof second === "string" ? Number.POSITIVE_INFINITY : (second ?? -1);
  return [PLACES.named, PRE_NAMES[first] ?? first, number, ...end];
}

function compareKeys(a: Key, b: Key): number {
  for (const at of [0, 1, 2, 3, 4] as const) {
    const [left, right] = [a[at], b[at]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/**
 * A list that goes on is the later one.
 * @param namesLater semver: a number comes before a name. PEP 440's local versions: after it.
 */
function compareIdentifiers(
  a: readonly (string | number)[],
  b: readonly (string | number)[],
  namesLater = false,
): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = compareIdentifier(a[at] ?? 0, b[at] ?? 0, namesLater);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareIdentifier(a: string | number, b: string | number, namesLater: boolean): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === typeof b) return a < b ? -1 : Number(a > b);
  return (typeof a === "string") === namesLater ? 1 : -1;
}

export function isPrerelease({ stage }: Version): boolean {
  return stage.kind === "semver" || stage.pre !== undefined || stage.dev !== undefined;
}

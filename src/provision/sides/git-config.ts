/**
 * Settings that keep git from running programs that a checkout names. A pull request cannot commit `.git/config`, but a
 * workspace that lasts may hold one that the code of an earlier run wrote.
 */

/** For every call. Hooks, monitors, ssh and other transports' programs: nothing here needs them. */
const FIXED = [
  "safe.bareRepository=explicit",
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.sshCommand=false",
  "core.askPass=",
  "core.alternateRefsCommand=true",
  "core.pager=cat",
  "diff.external=",
  "protocol.ext.allow=never",
  "protocol.git.allow=never",
  "uploadpack.packObjectsHook=",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "advice.detachedHead=false",
] as const;

/** Git also leaves the index as it is, and starts no pager. */
export const FIXED_OPTIONS: readonly string[] = [
  "--no-optional-locks",
  "--no-pager",
  ...FIXED.flatMap((setting) => ["-c", setting]),
];

interface Neutral {
  readonly pattern: RegExp;
  /** Variables of the same section, and the value that stops their program. */
  readonly values: Readonly<Record<string, string>>;
}

/** Settings of any name that hold a program. */
const STOPPED: readonly Neutral[] = [
  {
    pattern: /^(filter\..+)\.(clean|smudge|process|required)$/,
    values: { clean: "", smudge: "", process: "", required: "false" },
  },
  { pattern: /^(diff\..+)\.(textconv|command)$/, values: { textconv: "", command: "" } },
  { pattern: /^(merge\..+)\.driver$/, values: { driver: "" } },
  // An empty helper forgets the ones before it.
  { pattern: /^(credential(?:\..+)?)\.helper$/, values: { helper: "" } },
  // An empty event forgets the ones before it.
  { pattern: /^(hook\..+)\.(command|event|enabled)$/, values: { event: "", enabled: "false" } },
];

/** Of several values git takes the first one: an option changes nothing. */
const REFUSED = /^remote\..+\.(uploadpack|receivepack|vcs)$/;

/**
 * Options that stop the programs among these settings.
 * @param names of a repository's own settings, as git lists them: section and variable in lower case
 * @throws Error for a setting that no option stops
 */
export function neutralOptions(names: readonly string[]): string[] {
  const settings = new Set<string>();
  for (const name of names) {
    if (REFUSED.test(name)) throw refusal(name);
    for (const { pattern, values } of STOPPED) {
      const section = pattern.exec(name)?.[1];
      if (section === undefined) continue;
      if (section.includes("=")) throw refusal(name);
      for (const [variable, value] of Object.entries(values)) settings.add(`${section}.${variable}=${value}`);
    }
  }
  return [...settings].flatMap((setting) => ["-c", setting]);
}

function refusal(name: string): Error {
  return new Error(`the repository's configuration names a program in ${name}: remove it`);
}

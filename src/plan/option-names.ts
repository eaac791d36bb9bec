/** What the user calls an option, for messages: `--profile` on the command line, `profile` in a workflow. */
export interface OptionNames {
  readonly profile: string;
  /** The shortest profile, as the user would write it. */
  readonly quickProfile: string;
  readonly server: string;
  readonly scenarios: string;
  readonly python: string;
  readonly shards: string;
  readonly cores: string;
  readonly latency: string;
  /** How other sets are selected, as advice. */
  readonly selectors: string;
  /** What is measured where neither the user nor the checkout says it; none: that is an error. */
  readonly usualSets: readonly string[];
}

export const COMMAND_LINE: OptionNames = {
  profile: "--profile",
  quickProfile: "--profile quick",
  server: "--server",
  scenarios: "--scenarios",
  python: "--python",
  shards: "--shards",
  cores: "--cores",
  latency: "--latency",
  selectors: "name them after the command",
  usualSets: ["interfaces"],
};

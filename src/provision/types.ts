/** What provisioning hands to measuring. */

export interface ReadyEnvironment {
  readonly state: "ready";
  /** Folder of the environment's programs; first on the server's PATH. */
  readonly binDir: string;
  /** Full version, such as 3.11.7. */
  readonly pythonVersion: string;
  /** Version of the server's distribution. */
  readonly version: string;
  /** `name==version`, sorted. */
  readonly packages: readonly string[];
  /** Names of the packages that come from a folder or a file of this machine. */
  readonly local?: readonly string[];
  /** Pins of servers.yml that gave way to what an app or the user asks for. */
  readonly replaced?: readonly ReplacedPin[];
}

/** Another version of a distribution was installed. */
export interface ReplacedPin {
  /** Why, as a sentence that the versions end. */
  readonly cause: string;
  readonly name: string;
  /** In servers.yml. */
  readonly pinned: string;
  readonly installed: string;
}

/** Why an environment could not be installed: one for each build, whatever the number of cases that need it. */
export interface InstallFailure {
  readonly kind: "build" | "network" | "no-such-version" | "system-package" | "other";
  /** The distribution that does not build, else the server. */
  readonly subject: string;
  /** Whether the subject is a checkout's, so that one of the sides can be blamed. */
  readonly fromCheckout: boolean;
  /** The first error, in one line: `error[E0308]: mismatched types`. */
  readonly headline: string;
  /** Its file and line: `src/main.rs:3:21`. */
  readonly location?: string;
  /** What the user can do; "" where only the code can be corrected. */
  readonly remedy: string;
  /** The whole output, where there is one; it is still there after the run. */
  readonly logFile?: string;
}

export type EnvironmentState =
  | ReadyEnvironment
  /** `reason` is one line; `log` holds the part of the output that shows the error. */
  | {
      readonly state: "failed";
      readonly reason: string;
      readonly log: string;
      readonly failure?: InstallFailure;
    }
  /** Asked for a Python that is not there. */
  | { readonly state: "skipped"; readonly reason: string };

export interface Tool {
  readonly path: string;
  /** Arguments before all others: the script that `path`, an interpreter, runs. */
  readonly args?: readonly string[];
  readonly version: string;
}

export type GeneratorState =
  | { readonly state: "ready"; readonly tool: Tool }
  /** `reason` says what failed and what to do. */
  | { readonly state: "failed"; readonly reason: string; readonly log: string };

export interface Provisioned {
  /** Keyed by `environmentKey(spec)`. */
  readonly environments: ReadonlyMap<string, EnvironmentState>;
  /** Load generators by name (`oha`). */
  readonly generators: ReadonlyMap<string, GeneratorState>;
}

/**
 * What is shown while things are installed. A step's name stays the same over its calls; what is reused is finished
 * without having been started.
 */
export interface ProvisionProgress {
  started(step: string): void;
  /** Every second or so during a long step: `213 of 371 crates, 1 min 20 s`. */
  update(step: string, detail: string): void;
  finished(
    step: string,
    result: { readonly seconds: number; readonly detail?: string; readonly reused: boolean },
  ): void;
  failed(step: string, reason: string): void;
  /** Something to know that ends nothing: a damaged cache entry, a run that is waited for. */
  note(text: string): void;
}

/** Environments of child processes. They are allow-lists: no token or input of the host reaches a server or an app. */

/** Set to the run's id in every child of a run. A process that has it belongs to the run and is ended with it. */
export const RUN_MARKER = "SERVER_BENCH_RUN";

const ALLOWED = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "TERM",
  // The runner finds the processes that a job left by this one.
  "RUNNER_TRACKING_ID",
]);
const ALLOWED_PREFIXES = ["LC_"];

/** Proxies and certificates: needed to reach registries and remotes. */
const NETWORK: ReadonlySet<string> = new Set([
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
]);

/** Installers also need their compilers and folders. */
const INSTALLER_ALLOWED: ReadonlySet<string> = new Set([
  ...NETWORK,
  "CC",
  "CXX",
  "CFLAGS",
  "LDFLAGS",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "PYENV_ROOT",
  "PYENV_VERSION",
  "RUSTUP_HOME",
]);
const INSTALLER_PREFIXES = ["PIP_", "UV_", "CARGO_", "RUSTUP_", "GOPROXY", "GOFLAGS", "GONO", "GOSUMDB"];

/** Settings of pip and uv for somebody's own project: what is installed here is fixed by the scenario files and the app's. */
const FOR_PROJECTS: ReadonlySet<string> = new Set(
  `REQUIRE_HASHES EXCLUDE_NEWER EXCLUDE_NEWER_PACKAGE UPLOADED_PRIOR_TO RESOLUTION PRERELEASE PRE
  CONSTRAINT BUILD_CONSTRAINT OVERRIDE EXCLUDE REQUIREMENT EDITABLE NO_EDITABLE NO_DEPS DRY_RUN
  TARGET PREFIX ROOT USER SRC REQUIRE_VIRTUALENV SYSTEM_PYTHON PYTHON MANAGED_PYTHON
  PROJECT PROJECT_ENVIRONMENT WORKING_DIR WORKING_DIRECTORY FROZEN LOCKED NO_SYNC ISOLATED
  DEV NO_DEV NO_GROUP NO_DEFAULT_GROUPS NO_SOURCES NO_BUILD_ISOLATION
  NO_BUILD NO_BUILD_PACKAGE NO_BINARY NO_BINARY_PACKAGE ONLY_BINARY PREFER_BINARY ENV_FILE LOG QUIET VERBOSE`.split(
    /\s+/,
  ),
);

function isForProjects(name: string): boolean {
  return FOR_PROJECTS.has(/^(?:PIP|UV)_(.+)$/.exec(name)?.[1] ?? "");
}

type Variables = Readonly<Record<string, string | undefined>>;

function pick(source: Variables, names: ReadonlySet<string>, prefixes: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))))
      picked[name] = value;
  }
  return picked;
}

/** Environment of a server or a load generator. */
export function childEnvironment(source: Variables, runId: string, extra: Variables = {}): Record<string, string> {
  const env = pick(source, ALLOWED, ALLOWED_PREFIXES);
  for (const [name, value] of Object.entries(extra)) if (value !== undefined) env[name] = value;
  return { ...env, [RUN_MARKER]: runId };
}

/** Names of variables that hold a credential, with or without an installer's prefix. */
const SECRET = /TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|(^|_)(USERNAME|AUTH|KEYS?)(_|$)/i;

/**
 * Environment of an installer (uv, pip, cargo). A package's build code runs in it and may come from a pull request, so no variable
 * has a credential. An index that needs one gets it from a file that the installer reads (`~/.netrc`, a keyring), on machines whose
 * maintainer has put it there.
 */
export function installerEnvironment(source: Variables, runId: string, extra: Variables = {}): Record<string, string> {
  const picked = Object.entries(pick(source, INSTALLER_ALLOWED, INSTALLER_PREFIXES));
  const registries = Object.fromEntries(picked.filter(([name]) => !isForProjects(name)));
  return withoutCredentials(childEnvironment(source, runId, { ...registries, ...extra }));
}

function withoutCredentials(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !SECRET.test(name));
  // A proxy needs its own password, and no file has it.
  return Object.fromEntries(
    kept.map(([name, value]) => [name, /_proxy$/i.test(name) ? value : withoutUserinfo(value)]),
  );
}

/** `https://name:password@host/` -> `https://host/`; a name alone (`ssh://git@host/`) opens nothing. */
function withoutUserinfo(value: string): string {
  return value.replaceAll(/(\/\/)[^/\s@]*:[^/\s@]*@/g, "$1");
}

/** What git needs besides: its configuration, the machine's host keys, and how to reach a remote. */
const GIT_ALLOWED = new Set([
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_EXEC_PATH",
  "GIT_LFS_SKIP_SMUDGE",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "XDG_CONFIG_HOME",
]);

/** Environment of git: no variable that names another repository, index or program, and no token. */
export function gitEnvironment(source: Variables): Record<string, string> {
  return {
    ...pick(source, ALLOWED, ALLOWED_PREFIXES),
    ...pick(source, NETWORK, []),
    ...pick(source, GIT_ALLOWED, []),
    GIT_TERMINAL_PROMPT: "0",
    // A command that meets a missing object fails: needed objects are fetched explicitly.
    GIT_NO_LAZY_FETCH: "1",
    // Code of an earlier run can have written another history into .git.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: "/dev/null",
    // Messages are recognised by their text.
    LC_ALL: "C",
  };
}

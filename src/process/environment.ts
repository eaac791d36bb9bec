/** What child processes may see: an allow-list, so that no token or input of the host reaches a server or an app. */

/** Set in every child of a run to the run's id: whatever carries it belongs to the run and is ended with it. */
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
  // The runner ends what is left of a job by this one.
  "RUNNER_TRACKING_ID",
]);
const ALLOWED_PREFIXES = ["LC_"];

/** Installers also need the way to their registries. */
const INSTALLER_ALLOWED = new Set([
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

/** Environment of an installer (uv, pip, cargo). */
export function installerEnvironment(source: Variables, runId: string, extra: Variables = {}): Record<string, string> {
  const registries = pick(source, INSTALLER_ALLOWED, INSTALLER_PREFIXES);
  return childEnvironment(source, runId, { ...registries, ...extra });
}

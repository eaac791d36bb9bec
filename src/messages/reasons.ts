/**
 * Why a row cannot be measured, by kind: what was seen, and what to do. One table for what happens while a server's packages are
 * installed, its app is imported, it starts, and it answers. `{name}` is a place for a value; other braces are text.
 */

interface Reason {
  readonly seen: string;
  /** "": only the code can be corrected. */
  readonly remedy: string;
}

const LONGER = "if it needs longer, raise `ready-timeout` of the server";
const ITS_PLACE = "its command has to pass on {host} and {port}";
const CERTIFICATE = "its command has to pass on {cert} and {key}";
const NO_HTTP2 = "turn HTTP/2 on in its command, or write `http: 1`";
const FEWER = "give the benchmark fewer connections";

const REASONS = {
  // Installing
  "disk-full": {
    seen: "no space is left on the disk",
    remedy: "free space, or set SERVER_BENCH_CACHE to another disk's folder",
  },
  "index-refuses": {
    seen: "{said}",
    remedy:
      "put the index's credentials into ~/.netrc: installers get none from variables, which build code could read",
  },
  "other-hash": {
    seen: "{said}",
    remedy: "the index has another file than the one that was locked: check the index, or lock again",
  },
  "hashes-wanted": {
    seen: "{said}",
    remedy: "a requirements file with hashes needs every distribution with its version and hash: compile it again",
  },
  "other-python": {
    seen: "{said}",
    remedy: "name a Python that fits with `python:` of the app, or with --python",
  },
  "no-version": { seen: "{said}", remedy: "correct the requirements of {server}, or check the index that is asked" },
  "hinted-version": { seen: "{said}", remedy: "{hint}. Correct the requirements of {server}" },
  /** uv says itself what to do. */
  hinted: { seen: "{said}", remedy: "{hint}" },
  "index-silent": {
    seen: "{said}",
    remedy: "check the network and the package index (PIP_INDEX_URL or UV_DEFAULT_INDEX)",
  },
  "other-distribution": {
    seen: "{said}",
    remedy:
      "what was given for {given} is {found}: write --server {found}=PATH (input: servers), or give the path of {given}",
  },
  "system-package": { seen: "{said}", remedy: "{server} needs Debian packages: apt-get install {packages}" },
  "no-rust": { seen: "there is no Rust compiler", remedy: "install Rust (https://rustup.rs)" },

  // Importing
  "import-fails": { seen: "the app does not import: {error}", remedy: "" },
  "import-lacks": {
    seen: "the app does not import: {error}",
    remedy: "add what provides {missing} to `requires` or `install` of the app",
  },
  "import-lacks-target": {
    seen: "the app does not import: {error}",
    remedy: "correct `path` and `target` of the app, or install the project (`install`)",
  },
  "import-lacks-own": {
    seen: "the app does not import: {error}",
    remedy: "the app's own {missing} is not there. Add it, or correct the import",
  },
  "target-missing": {
    seen: "the target {target} is not there: the module {module} has no {name}{others}",
    remedy: "correct `target` of the app",
  },
  "target-not-callable": {
    seen: "the target {target} is a {type} and cannot be called",
    remedy: "`target` names the application object",
  },
  "other-interface": {
    seen: "the target {target} looks like {takes} app, but the scenario file says `interface: {wanted}`",
    remedy: "write `interface: {interface}`, and choose a server that speaks it",
  },

  // Starting
  "ended-early": { seen: "its first process ended ({exit}) before the right answer came", remedy: "" },
  "startup-fails": {
    seen: "the app's startup failed (lifespan), and the server ended ({exit})",
    remedy: "the log has the error",
  },
  background: {
    seen: "its first process ended ({exit}) before the right answer came",
    remedy: "a server has to stay in the foreground",
  },
  "own-address": {
    seen: "an address is in use, and it is not the server's port: the app listens on one of its own",
    remedy: "base and head run at the same time, so the app must take a free port there, or none",
  },
  "nothing-listens": {
    seen: "not ready after {seconds} s: nothing listens on its port (connection refused)",
    remedy: `${LONGER}; ${ITS_PLACE}`,
  },
  silent: {
    seen: "not ready after {seconds} s: it accepts connections and does not answer ({seen})",
    remedy: `${LONGER}; its log may show what the app waits for`,
  },
  "not-ready": { seen: "not ready after {seconds} s; last seen: {seen}", remedy: LONGER },
  "other-port": {
    seen: "it {does} on {there} and not on the port that it was given ({given})",
    remedy: "its command has to pass on {port}",
  },
  "no-socket": {
    seen: "it {does} on {there} and not on the unix socket that it was given",
    remedy: "its command has to pass on {socket}",
  },
  "other-address": {
    seen: "it listens on {address} and not on the address that it was given ({given})",
    remedy: "its command has to pass on {host}",
  },
  "service-late": {
    seen: "{service} is not ready after {seconds} s ({seen})",
    remedy: "if it needs longer, raise its `timeout`",
  },

  // Answering
  "wrong-answer": { seen: "it answers, but not as expected: {seen}", remedy: "" },
  "long-header": {
    seen: "the header of its answer has more than 16 KiB",
    remedy: "let the route send fewer or shorter fields (cookies, policies)",
  },
  "other-protocol": {
    seen: "its answer is not HTTP/1",
    remedy: "compare `http` of the benchmark with the protocol that its command turns on",
  },
  "broken-answer": { seen: "its answer is no valid HTTP ({said})", remedy: "" },
  "plain-to-tls": {
    seen: "its port speaks TLS, but the benchmark connects without TLS",
    remedy: "write `tls: true` for the benchmark, or turn TLS off in its command",
  },
  "tls-to-plain": { seen: "its port speaks no TLS", remedy: `${CERTIFICATE}; or leave \`tls\` out of the benchmark` },
  "no-http2-tls": { seen: "it refuses HTTP/2 over TLS (ALPN h2)", remedy: NO_HTTP2 },
  "no-http2": { seen: "it speaks no HTTP/2 without TLS (h2c)", remedy: NO_HTTP2 },
  "other-certificate": {
    seen: "its certificate is not the one that it was given ({said})",
    remedy: CERTIFICATE,
  },
  timeouts: { seen: "{failures}", remedy: `${FEWER}, or raise its \`timeout\`` },
  "lost-connections": {
    seen: "{failures}",
    remedy: `the server closes or refuses connections: ${FEWER}, or read its log`,
  },
  "most-silent": {
    seen: "at least {count} of {connections} connections got no answer in {seconds} s",
    remedy: `${FEWER}, or raise the server's limit`,
  },
} as const satisfies Readonly<Record<string, Reason>>;

export type ReasonKind = keyof typeof REASONS;
type Values = Readonly<Record<string, string | number>>;

/** Both parts in one line. */
export function reason(kind: ReasonKind, values: Values = {}): string {
  const { seen, remedy } = parts(kind, values);
  return remedy === "" ? seen : `${seen}: ${remedy}`;
}

export function parts(kind: ReasonKind, values: Values = {}): Reason {
  const { seen, remedy } = REASONS[kind];
  return { seen: filled(seen, values), remedy: filled(remedy, values) };
}

function filled(text: string, values: Values): string {
  return text.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

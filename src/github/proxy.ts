/** Whether Node's fetch goes through the proxy that the environment names: Node reads these variables only when asked to. */

/** https://nodejs.org/api/cli.html#node_use_env_proxy1, Node 24 and later, read once at the start. */
const PROXIES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] as const;
export const PROXY_VARIABLES: readonly string[] = [...PROXIES, "NO_PROXY", "no_proxy"];

type Variables = Readonly<Record<string, string | undefined>>;

export function usesProxies(env: Variables): boolean {
  return env.NODE_USE_ENV_PROXY === "1" || (env.NODE_OPTIONS ?? "").includes("--use-env-proxy");
}

/** One line for the log where a proxy is named and not used. Its address may hold a password, and is left out. */
export function unusedProxy(env: Variables): string | undefined {
  const named = PROXIES.find((name) => env[name]);
  if (named === undefined || usesProxies(env)) return undefined;
  return `${named} is set, but Node uses no proxy for GitHub and for downloads: add "NODE_USE_ENV_PROXY: 1" to the job's env`;
}

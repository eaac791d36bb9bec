/** The state of the page in the address, so that a link shows what its sender saw. */

export type State = Readonly<Record<string, string>>;

/** Empty for an address with a plain anchor. */
export function readState(): State {
  const hash = location.hash.slice(1);
  return hash.includes("=") ? Object.fromEntries(new URLSearchParams(hash)) : {};
}

/** Replaces the entry of the history: going back leaves the page. */
export function writeState(state: State): void {
  const set = Object.entries(state).filter(([, value]) => value !== "");
  const hash = new URLSearchParams(set).toString();
  history.replaceState(null, "", hash === "" ? location.pathname + location.search : `#${hash}`);
}
